#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y ufw
ufw default deny incoming
ufw default deny routed
ufw allow 22/tcp
ufw allow from 10.0.0.0/24
ufw allow from 10.52.0.0/16
ufw allow from 10.53.0.0/16
ufw route allow from 10.52.0.0/16
ufw route allow to 10.52.0.0/16
ufw --force enable
curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.5:6443 K3S_TOKEN="$(cat /root/token)" sh -
