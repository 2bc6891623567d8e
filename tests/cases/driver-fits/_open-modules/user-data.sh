#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-headless-570-server-open nvidia-utils-570-server
/etc/eks/bootstrap.sh gpu-dev
