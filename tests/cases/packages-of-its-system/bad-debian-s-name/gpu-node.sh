#!/bin/bash
set -euo pipefail
dnf install -y build-essential dkms nfs-common
dnf config-manager --add-repo https://developer.download.nvidia.com/compute/cuda/repos/rhel9/x86_64/cuda-rhel9.repo
dnf module install -y nvidia-driver:580-dkms
