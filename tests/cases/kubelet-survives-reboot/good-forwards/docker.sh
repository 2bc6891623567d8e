#!/bin/bash
set -euo pipefail
swapoff -a
sed -ri '/\sswap\s/s/^/#/' /etc/fstab
apt-get update
apt-get install -y docker.io containerd kubelet kubeadm
rm -f /etc/containerd/config.toml
systemctl restart containerd
systemctl enable --now kubelet
kubeadm init --pod-network-cidr=192.168.0.0/16
