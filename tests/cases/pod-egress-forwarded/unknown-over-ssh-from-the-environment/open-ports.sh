#!/bin/bash
set -eu

ssh ubuntu@192.168.40.21 sudo bash <<REMOTE
ufw allow 22/tcp
ufw allow from $POD_RANGE
ufw --force enable
curl -sfL https://get.k3s.io -o /tmp/k3s.sh
sh /tmp/k3s.sh
REMOTE
