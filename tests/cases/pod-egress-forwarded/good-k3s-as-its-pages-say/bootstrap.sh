#!/bin/bash
set -euo pipefail

ufw allow OpenSSH
ufw allow from 10.42.0.0/16 to any # pods
ufw allow from 10.43.0.0/16 to any # services
ufw --force enable

curl -sfL https://get.k3s.io -o /tmp/k3s.sh
K3S_URL=https://10.20.0.10:6443 K3S_TOKEN_FILE=/etc/k3s-token sh /tmp/k3s.sh
