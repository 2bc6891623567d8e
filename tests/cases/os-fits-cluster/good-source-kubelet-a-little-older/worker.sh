#!/bin/bash
set -euo pipefail
VERSION=${VERSION:-1.32.6-1.1}
apt-get update
apt-get install -y containerd nvidia-driver-570-server nvidia-container-toolkit "kubelet=$VERSION" "kubeadm=$VERSION"
nvidia-ctk runtime configure --runtime=containerd
systemctl enable kubelet containerd
systemctl restart containerd
kubeadm join k8s.lab.example:6443 --discovery-file /root/discovery.conf
