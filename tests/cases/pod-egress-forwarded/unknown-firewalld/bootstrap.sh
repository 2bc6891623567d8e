#!/usr/bin/env bash
set -euo pipefail

if ! firewall-cmd --state; then
  systemctl start firewalld
fi
firewall-cmd --permanent --zone=trusted --add-interface="$(cat /run/pod-interface)"
firewall-cmd --reload

kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
