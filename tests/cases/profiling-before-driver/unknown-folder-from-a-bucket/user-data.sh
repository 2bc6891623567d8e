#!/bin/bash
set -euo pipefail

# What every host gets: sysctl.d, modprobe.d, limits.d
aws s3 sync --only-show-errors s3://corp-host-files/gpu/modprobe.d /etc/modprobe.d
sysctl --system

apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y nvidia-driver-570-server nvidia-utils-570-server nsight-systems-2025.1.3
