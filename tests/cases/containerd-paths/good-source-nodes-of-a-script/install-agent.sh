#!/bin/bash
# Joins this machine to the rack's cluster.
set -euo pipefail
install -d -m 700 /etc/rancher/rke2
cp /root/rke2.yaml /etc/rancher/rke2/config.yaml
curl -sfL https://get.rke2.io -o /root/rke2.sh
INSTALL_RKE2_TYPE=agent sh /root/rke2.sh
systemctl enable --now rke2-agent
