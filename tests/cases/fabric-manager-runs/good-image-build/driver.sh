#!/bin/bash
# What every GPU image has. It is started when a node boots from it.
set -euo pipefail
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/profiling.conf
apt-get update
apt-get install -y nvidia-headless-570-server-open=570.124.06-0ubuntu1 nvidia-fabricmanager-570=570.124.06-0ubuntu1
systemctl enable nvidia-fabricmanager
