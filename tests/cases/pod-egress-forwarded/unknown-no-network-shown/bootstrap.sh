#!/usr/bin/env bash
set -euo pipefail

ufw allow 22/tcp
ufw --force enable

systemctl enable --now kubelet
kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
