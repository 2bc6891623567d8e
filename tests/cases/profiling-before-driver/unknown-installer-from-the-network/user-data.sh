#!/bin/bash
set -euo pipefail
curl -fsSL https://packages.example.com/gpu/install-nvidia-driver.sh | bash
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
