#!/usr/bin/env bash
set -euo pipefail

apt-get update
apt-get install -y containerd kubelet kubeadm nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=containerd --set-as-default
systemctl restart containerd
kubeadm join --config /etc/kubernetes/join.yaml
