#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io -o /tmp/install.sh
sh /tmp/install.sh agent --server https://10.0.0.4:6443 --token-file /etc/k3s-token \
  --flannel-backend=none --disable traefik --disable servicelb
