#!/bin/bash
set -euo pipefail
K3S_URL=https://10.0.0.4:6443
ARGUMENTS="agent --server $K3S_URL --token-file /etc/k3s-token"
curl -sfL https://get.k3s.io | INSTALL_K3S_EXEC="$ARGUMENTS" sh -s -
