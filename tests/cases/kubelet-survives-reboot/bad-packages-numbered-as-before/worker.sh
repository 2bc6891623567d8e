#!/bin/bash
set -euo pipefail
VERSION=1.31.4
curl -fsSL "https://pkgs.k8s.io/core:/stable:/v1.31/deb/Release.key" | gpg --dearmor -o /etc/apt/keyrings/k8s.gpg
echo 'deb [signed-by=/etc/apt/keyrings/k8s.gpg] https://pkgs.k8s.io/core:/stable:/v1.31/deb/ /' > /etc/apt/sources.list.d/k8s.list
apt-get update
apt-get install -y kubelet=${VERSION}-00 kubeadm=${VERSION}-00
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
