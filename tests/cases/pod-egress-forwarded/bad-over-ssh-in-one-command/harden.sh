#!/usr/bin/env bash
set -euo pipefail

for node in worker-1 worker-2; do
  ssh "root@$node" "ufw allow 22/tcp && ufw allow 8472/udp && ufw --force enable"
  ssh "root@$node" 'curl -sfL https://get.k3s.io | K3S_URL=https://10.20.0.10:6443 K3S_TOKEN_FILE=/etc/k3s-token sh -'
done
