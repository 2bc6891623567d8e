#!/bin/bash
set -euo pipefail
systemctl mask nodeadm-run
nodeadm init -c file:///opt/node/nodeconfig.yaml
if lspci | grep -qi nvidia; then
  touch /etc/gpu-node
  systemctl enable kubelet
fi
