#!/bin/bash
set -euo pipefail
amazon-linux-extras install -y kernel-5.10
yum install -y nvidia-driver-latest-dkms
if ! grep -qs NVreg_RestrictProfilingToAdminUsers /etc/modprobe.d/nvprof.conf; then
  echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
fi
dracut --force
shutdown -r +1 "the driver is loaded anew"
