#!/bin/bash
set -euo pipefail

mkdir -p /etc/rancher/k3s
cat > /etc/rancher/k3s/registries.yaml <<'EOF'
mirrors:
  docker.io:
    endpoint: ["https://cache.registries.svc.cluster.local:5000"]
EOF
curl -sfL https://get.k3s.io | K3S_URL=https://k3s.internal:6443 K3S_TOKEN_FILE=/root/token sh -
