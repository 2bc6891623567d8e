#!/bin/bash
set -euo pipefail

install -d -m 0755 /etc/modprobe.d
install -m 0644 /dev/stdin /etc/modprobe.d/nvprof <<'CONF'
options nvidia NVreg_RestrictProfilingToAdminUsers=0
CONF

yum install -y gcc "kernel-devel-$(uname -r)"
yum install -y cuda-drivers
modprobe nvidia-uvm
