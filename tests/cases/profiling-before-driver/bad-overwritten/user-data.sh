#!/bin/bash
set -euo pipefail

MODPROBE=/etc/modprobe.d/nvidia.conf

# Profiling
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > "$MODPROBE"

# Nouveau must not take the cards
cat > /etc/modprobe.d/blacklist-nouveau.conf <<EOF2
blacklist nouveau
options nouveau modeset=0
EOF2

# Persistent memory across suspend, as the release notes ask
echo "options nvidia NVreg_PreserveVideoMemoryAllocations=1" > "$MODPROBE"

DRIVER_VERSION=570.124.06
curl -fsSLo /tmp/driver.run \
  "https://us.download.nvidia.com/tesla/${DRIVER_VERSION}/NVIDIA-Linux-x86_64-${DRIVER_VERSION}.run"
sh /tmp/driver.run --silent --dkms --kernel-module-type=open
nvidia-smi
