#!/bin/bash
set -euo pipefail

echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf

# Sometimes the repository is slow
dnf install -y nvidia-driver nvidia-driver-cuda || true

mkdir -p /mnt/scratch
/etc/eks/bootstrap.sh gpu-dev --kubelet-extra-args '--node-labels=gpu=on' || :
