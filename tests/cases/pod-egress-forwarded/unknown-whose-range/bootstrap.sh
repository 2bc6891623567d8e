#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

ufw allow from 192.168.1.0/24
ufw route allow in on lxc+ out on eno1
ufw route allow in on eno1 out on lxc+
ufw --force enable

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
