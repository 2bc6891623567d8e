#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

ufw limit 22/tcp
ufw allow from 10.244.0.0/16
ufw route allow from 10.244.0.0/16
ufw route allow to 10.244.0.0/16
ufw route prepend deny from 10.244.0.0/16 to 169.254.169.254
ufw --force enable
ufw reload

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
