#!/bin/bash
set -euo pipefail
swapoff -a
sed -ri '/\sswap\s/s/^/#/' /etc/fstab
echo 'net.ipv4.ip_forward = 1' > /etc/sysctl.d/k8s.conf
sysctl --system
apt-get update
apt-get install -y containerd kubelet kubeadm
systemctl enable --now kubelet
kubeadm init --pod-network-cidr=192.168.0.0/16
