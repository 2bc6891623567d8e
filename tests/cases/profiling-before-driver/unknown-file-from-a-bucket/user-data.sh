#!/bin/bash
set -euo pipefail
BUCKET=s3://gpu-dev-config
aws s3 cp "$BUCKET/modprobe/nvprof.conf" /etc/modprobe.d/nvprof.conf
dnf install -y nvidia-driver nvidia-driver-cuda
systemctl enable --now nvidia-persistenced
