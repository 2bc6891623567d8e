#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

ufw allow from 192.168.7.0/24 to any port 22 proto tcp
ufw route allow in on lxc+ out on eno1 to any port 53 proto udp
ufw route allow in on eno1 out on lxc+
ufw allow from 10.0.0.0/8
ufw --force enable

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
