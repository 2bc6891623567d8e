#!/bin/bash
set -euo pipefail
systemctl disable --now nodeadm-config nodeadm-run
ln -sf /etc/systemd/system/kubelet.service /etc/systemd/system/multi-user.target.wants/kubelet.service
nodeadm init -c file:///opt/node/nodeconfig.yaml
