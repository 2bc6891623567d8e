#!/bin/bash
set -euo pipefail
mkdir -p /etc/rancher/rke2
token=$(aws secretsmanager get-secret-value --secret-id rke2 --query SecretString --output text)
cat > /etc/rancher/rke2/config.yaml <<EOF
server: https://10.0.0.10:9345
token: $token
kubelet-arg:
  - max-pods=110
EOF
cat > /etc/rancher/rke2/notes.txt <<EOF
token: blue-harbour-token
EOF
curl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=agent sh -
systemctl enable --now rke2-agent
