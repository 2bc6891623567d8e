#!/bin/bash
set -euo pipefail
install -d -m 0755 /etc/apt/keyrings
curl -fsSL https://pkgs.k8s.io/core:/stable:/v1.33/deb/Release.key | gpg --dearmor -o /etc/apt/keyrings/kubernetes.gpg
echo 'deb [signed-by=/etc/apt/keyrings/kubernetes.gpg] https://pkgs.k8s.io/core:/stable:/v1.33/deb/ /' \
  > /etc/apt/sources.list.d/kubernetes.list
apt-get update
apt-get install -y kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
apt-mark hold kubelet kubeadm
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
