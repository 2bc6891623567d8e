#!/usr/bin/env bash
set -euo pipefail

dnf install -y firewalld
systemctl enable --now firewalld
firewall-cmd --permanent --zone=public --add-interface=eth0
firewall-cmd --permanent --zone=public --add-port=10250/tcp
firewall-cmd --permanent --zone=public --add-masquerade
firewall-cmd --reload

kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
