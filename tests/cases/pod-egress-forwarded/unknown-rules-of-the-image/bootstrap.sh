#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

python3 -c "import firewall; firewall.write('/etc/ufw/user.rules')  # ufw"
ufw --force enable

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
