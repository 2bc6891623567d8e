#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

sed -i 's/DEFAULT_FORWARD_POLICY="DROP"/DEFAULT_FORWARD_POLICY="ACCEPT"/' /etc/default/ufw
ufw allow 22/tcp
ufw allow from 10.0.0.0/8
ufw --force enable

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
