#!/bin/bash
set -euo pipefail
mkdir -p /etc/rancher/k3s
cat > /etc/rancher/k3s/config.yaml <<'YAML'
node-label:
  - gpu=on
YAML
curl -sfL https://get.k3s.io | K3S_URL=https://k3s.internal:6443 K3S_TOKEN_FILE=/run/secrets/k3s sh -s - agent
