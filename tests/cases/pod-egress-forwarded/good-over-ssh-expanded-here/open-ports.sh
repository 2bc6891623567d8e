#!/bin/bash
set -eu

PODS=10.52.0.0/16
SERVICES=10.53.0.0/16

ssh ubuntu@192.168.40.21 sudo bash <<REMOTE
ufw allow 22/tcp
ufw allow from $PODS
ufw allow from $SERVICES
ufw --force enable
curl -sfL https://get.k3s.io -o /tmp/k3s.sh
INSTALL_K3S_EXEC="server --cluster-cidr $PODS --service-cidr $SERVICES" sh /tmp/k3s.sh
REMOTE
