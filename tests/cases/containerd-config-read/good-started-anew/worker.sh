#!/bin/bash
set -euo pipefail

apt-get update
apt-get install -y containerd kubelet kubeadm
mkdir -p /etc/containerd
containerd config default > /etc/containerd/config.toml
sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml
systemctl restart containerd
systemctl enable --now containerd

swapoff -a
sed -i '/ swap / s/^/#/' /etc/fstab
systemctl enable kubelet
kubeadm join "$ENDPOINT" --config /etc/kubernetes/join.yaml
