#!/usr/bin/env bash
set -euo pipefail

swapoff -a
setenforce 0 || true
if systemctl is-active --quiet firewalld; then
  systemctl disable --now firewalld
fi

dnf install -y kubelet kubeadm
systemctl enable --now kubelet
kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
