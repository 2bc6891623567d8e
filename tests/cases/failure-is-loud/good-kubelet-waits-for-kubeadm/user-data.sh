#!/bin/bash
apt-get update
apt-get install -y nvidia-driver-570-server || exit 1
apt-get install -y containerd kubelet kubeadm
systemctl enable --now kubelet
echo "ready for kubeadm join"
