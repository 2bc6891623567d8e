#!/usr/bin/env bash
set -euo pipefail

ufw allow 22/tcp
ufw allow from 192.168.40.0/24
ufw --force enable

systemctl enable --now kubelet
kubeadm join 192.168.40.10:6443 --config /etc/kubernetes/join.yaml
