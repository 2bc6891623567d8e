#!/bin/bash
set -euxo pipefail
cat > /etc/modprobe.d/nvidia-profiling.conf <<'CONF'
options nvidia NVreg_RestrictProfilingToAdminUsers=0
CONF
# hardening baseline 4.7: counters for administrators only
cat > /etc/modprobe.d/zz-hardening.conf <<'CONF'
install cramfs /bin/false
install udf /bin/false
options nvidia NVreg_RestrictProfilingToAdminUsers=1
CONF
dnf install -y kmod-nvidia-open-dkms nvidia-driver-cuda
