#!/bin/bash
# Worker nodes with L40S. The platform team's setup prepares the host; ask them before you change anything here.
set -euo pipefail
exec > >(tee /var/log/user-data.log | logger -t user-data) 2>&1

export SITE=hel1
curl -fsSL --retry 5 https://platform.example.com/hosts/setup.sh | bash

dnf install -y kernel-devel-$(uname -r) nvidia-driver nvidia-driver-cuda nsight-compute-2025.1.1
systemctl enable --now nvidia-persistenced
