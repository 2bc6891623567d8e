#!/usr/bin/env bash
set -euo pipefail

apt-get update
apt-get install -y ubuntu-drivers-common
export INSTALL_K3S_EXEC='server --disable traefik --write-kubeconfig-mode 644'
curl -sfL https://get.k3s.io -o /root/k3s.sh
sh /root/k3s.sh
