#!/bin/bash
set -euo pipefail
echo 'deb [signed-by=/etc/apt/keyrings/k8s.gpg] https://pkgs.k8s.io/core:/stable:/v1.31/deb/ /' > /etc/apt/sources.list.d/k8s.list
apt-get update
apt-get install -y kubelet=1.31.4-1.1 kubeadm=1.31.4-1.1
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
