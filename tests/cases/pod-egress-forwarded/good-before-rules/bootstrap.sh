#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

ufw allow 22/tcp
ufw allow in on cali+
sed -i '/^COMMIT/i -A ufw-before-forward -i cali+ -j ACCEPT' /etc/ufw/before.rules
sed -i '/^COMMIT/i -A ufw-before-forward -o cali+ -j ACCEPT' /etc/ufw/before.rules
ufw --force enable

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
