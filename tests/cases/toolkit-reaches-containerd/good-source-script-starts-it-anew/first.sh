#!/bin/bash
set -euo pipefail
dnf install -y containerd kubelet kubeadm nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=containerd
systemctl enable --now containerd kubelet
kubeadm join --config /root/join.yaml
