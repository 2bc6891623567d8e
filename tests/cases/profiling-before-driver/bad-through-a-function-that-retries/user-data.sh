#!/bin/bash
set -euo pipefail

retry() {
  local tries=$1 pause=$2
  shift 2
  for _ in $(seq "$tries"); do
    logged "$@" && return 0
    sleep "$pause"
  done
  return 1
}

logged() {
  echo "+ $*"
  sudo timeout 900 "$@"
}

retry 5 10 dnf install -y nvidia-driver-cuda nsight-systems
retry 3 2 modprobe nvidia
cat > /etc/modprobe.d/nvprof.conf <<'EOF'
options nvidia NVreg_RestrictProfilingToAdminUsers=0
EOF
