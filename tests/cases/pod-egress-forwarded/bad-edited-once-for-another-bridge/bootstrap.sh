#!/usr/bin/env bash
set -euo pipefail

ufw default deny incoming
ufw allow OpenSSH
ufw allow from 10.20.0.0/16 to any port 8472 proto udp

if ! grep -q 'ufw-before-input -i docker0' /etc/ufw/before.rules; then
  sed -i '/^COMMIT/i \
# what pods say to the node and to each other\
-A ufw-before-input -i flannel.1 -j ACCEPT\
-A ufw-before-input -i docker0 -j ACCEPT\
-A ufw-before-forward -i docker0 -j ACCEPT\
-A ufw-before-forward -o docker0 -j ACCEPT\
' /etc/ufw/before.rules
fi
ufw --force enable

curl -fsSL https://get.k3s.io -o /tmp/k3s.sh
K3S_URL=https://10.20.0.10:6443 K3S_TOKEN_FILE=/etc/k3s-token sh /tmp/k3s.sh
