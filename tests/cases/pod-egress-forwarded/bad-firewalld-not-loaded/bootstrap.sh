#!/usr/bin/env bash
set -euo pipefail

systemctl enable --now firewalld
firewall-cmd --permanent --zone=trusted --add-source=10.0.0.0/8

kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
