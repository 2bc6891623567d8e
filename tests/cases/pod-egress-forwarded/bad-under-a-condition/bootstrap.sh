#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

ufw allow 22/tcp
ufw allow from 10.0.0.0/8
if [ "$CNI" = cilium ]; then
  ufw route allow in on lxc+ out on eno1
  ufw route allow in on eno1 out on lxc+
fi
ufw --force enable

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
