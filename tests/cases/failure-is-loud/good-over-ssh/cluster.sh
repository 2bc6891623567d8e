#!/bin/bash
set -euo pipefail

ssh admin@gpu-a 'bash -s' <<'THERE'
set -e
sudo apt-get install -y containerd kubelet kubeadm nvidia-driver-570-server
sudo kubeadm init --pod-network-cidr=10.244.0.0/16
mkdir -p "$HOME/.kube"
THERE
join=$(ssh admin@gpu-a sudo kubeadm token create --print-join-command)
ssh admin@gpu-b "sudo $join"
ssh admin@gpu-c "sudo $join" || { echo "gpu-c did not join" >&2; exit 1; }
ssh admin@gpu-d <<'THERE'
sudo apt-get install -y nvidia-driver-570-server
nvidia-smi || exit 1
sudo reboot
THERE
echo "The cluster is there"
