#!/bin/bash
set -euo pipefail
export INSTALL_K3S_CHANNEL=stable
INSTALL_K3S_CHANNEL=stable curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.4:6443 K3S_TOKEN=$(cat /etc/k3s-token) sh -
