#!/bin/bash
set -euo pipefail

%{ for package in packages ~}
dnf install -y ${package}
%{ endfor ~}

echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf
dnf install -y nvidia-driver nvidia-driver-cuda
