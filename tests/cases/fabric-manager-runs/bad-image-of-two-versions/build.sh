#!/bin/bash
# Runs in Packer's build of the GPU image.
set -euo pipefail
echo "building ${PACKER_BUILD_NAME}"
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/profiling.conf
apt-get update
apt-get install -y nvidia-headless-570-server-open=570.124.06-0ubuntu1 nvidia-fabricmanager-570=570.86.15-0ubuntu1
systemctl enable nvidia-fabricmanager
