#!/bin/bash
set -euo pipefail
systemctl disable --now nodeadm-config nodeadm-run
nodeadm init -c file:///opt/node/nodeconfig.yaml
for unit in $(cat /opt/node/units); do
  systemctl enable --now "$unit"
done
