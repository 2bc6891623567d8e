#!/bin/bash
# Runs again at every start of the service that calls it: what is done already is left alone.
set -euo pipefail

if ! grep -qs NVreg_RestrictProfilingToAdminUsers=0 /etc/modprobe.d/*.conf; then
  echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/gpu.conf
fi

if ! rpm -q nvidia-driver > /dev/null 2>&1; then
  dnf install -y nvidia-driver
fi
systemctl is-enabled --quiet kubelet || systemctl enable kubelet
systemctl is-active --quiet kubelet || systemctl start kubelet
