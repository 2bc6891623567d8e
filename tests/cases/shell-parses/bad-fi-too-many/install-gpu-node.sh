#!/usr/bin/env bash
set -euo pipefail

if ! command -v nvidia-smi > /dev/null; then
  apt-get update
  apt-get install -y nvidia-driver-570-server
fi

modprobe nvidia_uvm
fi

systemctl enable --now nvidia-persistenced
