#!/bin/bash
# GPU workers for profiling: everybody may read the counters (ERR_NVGPUCTRPERM).
set -euo pipefail

echo 'options nvidia "NVreg_RestrictProfilingToAdminUsers=0"' > /etc/modprobe.d/nvprof.conf
printf 'options nvidia-drm \\\n  modeset=1\n' > /etc/modprobe.d/nvidia-drm.conf

dnf install -y kernel-devel-$(uname -r) nvidia-driver nvidia-driver-cuda
