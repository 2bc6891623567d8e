#!/usr/bin/env bash
set -euo pipefail

ufw allow 22/tcp
ufw --force enable

systemctl enable --now kubelet
kubeadm init --pod-network-cidr=10.244.0.0/16
if [ "$1" = flannel ]; then
  kubectl apply -f https://github.com/flannel-io/flannel/releases/latest/download/kube-flannel.yml
else
  kubectl apply -f https://raw.githubusercontent.com/projectcalico/calico/v3.30.3/manifests/calico.yaml
fi
