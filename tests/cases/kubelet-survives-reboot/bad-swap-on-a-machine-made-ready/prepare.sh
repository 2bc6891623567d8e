#!/bin/bash
# Run on every machine before somebody joins it by hand.
set -euo pipefail

require() { command -v "$1" > /dev/null || { echo "$1 is missing" >&2; exit 1; }; }
require curl

wait_for_apt() {
  for attempt in $(seq 1 30); do
    if ! fuser /var/lib/dpkg/lock > /dev/null 2>&1; then return 0; fi
    sleep 2
  done
  echo "apt stays locked" >&2
  exit 1
}

wait_for_apt
apt-get update
apt-get install -y cri-o
systemctl enable --now crio

swapoff -a
modprobe br_netfilter
sysctl -w net.ipv4.ip_forward=1
