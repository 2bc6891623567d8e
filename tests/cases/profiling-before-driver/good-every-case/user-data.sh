#!/bin/bash
set -euo pipefail

write_option() {
  [ -d /etc/modprobe.d ] || mkdir /etc/modprobe.d
  grep -q NVreg_RestrictProfilingToAdminUsers=0 /etc/modprobe.d/nvprof.conf 2>/dev/null \
    || echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" | sudo tee -a /etc/modprobe.d/nvprof.conf
}

. /etc/os-release
if [ "$ID" = ubuntu ]; then
  write_option
  apt-get install -y nvidia-headless-570-server
elif [ "$ID" = amzn ]; then
  write_option
  dnf install -y nvidia-driver
else
  echo "no driver for $ID" >&2
  exit 1
fi
