#!/bin/bash
set -euo pipefail

ufw allow OpenSSH
ufw allow from 10.20.0.0/24
ufw --force enable

curl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=server sh -
mkdir -p /etc/rancher/rke2
cat > /etc/rancher/rke2/config.yaml <<'EOF'
cni: cilium
cluster-cidr: 10.60.0.0/16
EOF
systemctl enable --now rke2-server
