#!/bin/bash
set -euo pipefail

finish() {
  logger -t user-data "done"
  echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
}
trap finish EXIT

dnf install -y nvidia-driver-cuda nsight-systems
modprobe nvidia
