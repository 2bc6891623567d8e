#!/bin/bash
die() { echo "FATAL: $*" >&2; exit 1; }

retry() {
  local n
  for n in 1 2 3; do
    "$@" && return 0
    sleep $((n * 5))
  done
  return 1
}

echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
apt-get update || die "no package lists"
apt-get install -y nvidia-driver-570-server || die "the driver was not installed"

if ! /etc/eks/bootstrap.sh gpu-dev; then
  echo "bootstrap.sh failed: $?" | logger -t user-data
  exit 1
fi
touch /var/lib/node-is-ready
