#!/bin/bash
set -euo pipefail
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
dnf install -y nvidia-driver nvidia-driver-cuda 2>&1 | tee /var/log/driver.log
/etc/eks/bootstrap.sh gpu-dev 2>&1 | tee /var/log/bootstrap.log
nvidia-smi || true
