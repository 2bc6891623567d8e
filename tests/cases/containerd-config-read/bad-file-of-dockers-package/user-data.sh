#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y docker-ce containerd.io kubelet kubeadm
systemctl enable kubelet
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
