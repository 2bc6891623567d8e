#!/bin/bash
set -euo pipefail

# What the script finds out itself stands without braces, which are the template's.
address=$(hostname -I | cut -d ' ' -f 1)
until curl -kfs "https://${frontend}:9345/ping"; do
  sleep 5
done
mkdir -p /etc/rancher/rke2
cat > /etc/rancher/rke2/config.yaml <<EOF
server: https://${frontend}:9345
token: ${poolToken2}
node-ip: $address
EOF
curl -sfL https://get.rke2.io -o /run/rke2.sh
INSTALL_RKE2_TYPE=agent sh /run/rke2.sh
systemctl enable --now rke2-agent.service
