#!/bin/bash
set -euo pipefail
if ! command -v k3s >/dev/null 2>&1; then
  curl -sfL https://get.k3s.io | sh -
fi
apt-get install -y nvidia-container-toolkit
systemctl restart k3s
