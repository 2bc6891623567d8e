#!/bin/bash
set -euo pipefail
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
# takes minutes, and the node can join meanwhile
dnf install -y nvidia-driver > /var/log/driver.log 2>&1 &
/etc/eks/bootstrap.sh gpu-dev
