#!/usr/bin/env bash
set -euo pipefail

/opt/hardening/firewall.sh --profile kubernetes
ufw --force enable

systemctl enable --now kubelet
kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
