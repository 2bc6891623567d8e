#!/bin/bash
set -euo pipefail

dnf install -y nvidia-driver nvidia-driver-cuda

echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' >> /etc/modprobe.d/nvidia.conf

# The package has loaded the module already: once more, with the option
systemctl stop nvidia-persistenced || echo "the persistence daemon was not running"
for module in nvidia_uvm nvidia_drm nvidia_modeset nvidia; do
  if lsmod | grep -q "^${module} "; then
    rmmod "$module"
  fi
done
modprobe nvidia
grep RmProfilingAdminOnly /proc/driver/nvidia/params
