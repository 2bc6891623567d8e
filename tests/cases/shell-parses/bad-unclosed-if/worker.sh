#!/bin/sh
set -e
swap=$(grep -c swap /proc/swaps || true)
if [ "$swap" -gt 0 ]; then
  echo "this image has swap, which no node may have" >&2
  exit 1

apt-get install -y nvidia-driver-570-server
systemctl enable nvidia-persistenced
