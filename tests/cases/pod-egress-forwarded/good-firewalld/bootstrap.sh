#!/usr/bin/env bash
set -euo pipefail

dnf install -y firewalld
systemctl enable --now firewalld
firewall-cmd --permanent --zone=trusted --add-interface=lxc+
firewall-cmd --permanent --zone=trusted --add-interface=cilium_host
firewall-cmd --permanent --zone=trusted --add-source=10.0.0.0/8
firewall-cmd --permanent --new-policy=pods
firewall-cmd --permanent --policy=pods --add-ingress-zone=ANY
firewall-cmd --permanent --policy=pods --add-egress-zone=trusted
firewall-cmd --permanent --policy=pods --set-target=ACCEPT
firewall-cmd --reload

kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
