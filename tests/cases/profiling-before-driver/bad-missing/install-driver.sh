#!/bin/bash
# Installs NVIDIA's data center driver from the .run file.
set -Eeuo pipefail
trap 'echo "failed on line $LINENO" >&2' ERR

VERSION="${DRIVER_VERSION:-570.124.06}"
RUN="NVIDIA-Linux-x86_64-${VERSION}.run"

dnf -y install gcc make kernel-devel-"$(uname -r)"
cd /tmp
curl -fLO --retry 5 "https://us.download.nvidia.com/tesla/${VERSION}/${RUN}"
chmod +x "${RUN}"
CC=/usr/bin/gcc10-cc "./${RUN}" --silent --tmpdir /var/tmp --dkms

for module in nvidia nvidia_uvm; do
  modprobe "$module"
done

# People measure their kernels here.
dnf -y install nsight-compute-2025.1.1
