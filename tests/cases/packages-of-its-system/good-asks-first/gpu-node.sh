#!/bin/bash
set -euo pipefail
if command -v apt-get >/dev/null; then
  apt-get update
  apt-get install -y build-essential nfs-common nvidia-driver-580-server
else
  dnf install -y gcc make nfs-utils
  dnf module install -y nvidia-driver:580-dkms
fi
