#!/usr/bin/env bash
set -euo pipefail

IFACE=$(ip -4 route get 1.1.1.1 | awk '{print $5; exit}')

ufw allow in on "$IFACE" to any port 22 proto tcp
ufw allow from 192.168.40.0/24 to any port 6443 proto tcp
ufw --force enable

systemctl enable --now kubelet
kubeadm init --pod-network-cidr=10.0.0.0/16
cilium install --version 1.18.2 --set ipam.mode=kubernetes
