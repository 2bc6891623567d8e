#!/bin/bash
set -euo pipefail
apt-get install -y containerd kubelet kubeadm
swapoff -a
kubeadm join 10.0.0.10:6443 --config /etc/kubernetes/join.yaml
