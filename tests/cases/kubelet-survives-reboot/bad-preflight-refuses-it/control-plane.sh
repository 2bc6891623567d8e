#!/bin/bash
set -euo pipefail
swapoff -a
sed -ri '/\sswap\s/s/^/#/' /etc/fstab
apt-get update
apt-get install -y containerd kubelet kubeadm
mkdir -p /etc/containerd
containerd config default > /etc/containerd/config.toml
sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml
systemctl restart containerd
kubeadm init --pod-network-cidr=192.168.0.0/16
