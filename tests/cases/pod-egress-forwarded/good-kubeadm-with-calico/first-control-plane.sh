#!/usr/bin/env bash
set -euo pipefail

ufw allow 22/tcp
ufw allow from 192.168.40.0/24
ufw --force enable

systemctl enable --now kubelet
kubeadm init --pod-network-cidr=10.100.0.0/16
kubectl create -f https://raw.githubusercontent.com/projectcalico/calico/v3.30.3/manifests/tigera-operator.yaml
kubectl create -f calico/installation.yaml
