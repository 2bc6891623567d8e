#!/bin/bash
set -euo pipefail
systemctl disable --now firewalld
curl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=agent sh -
mkdir -p /etc/rancher/rke2
printf 'server: https://10.20.0.10:9345\ntoken: %s\n' "$(cat /root/token)" > /etc/rancher/rke2/config.yaml
systemctl enable --now rke2-agent
