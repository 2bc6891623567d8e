#!/bin/bash
set -euo pipefail

NODE_NAME="$(hostname -s)
echo "joining as $NODE_NAME"

dnf install -y nvidia-driver nvidia-driver-cuda
systemctl enable --now nvidia-persistenced

kubeadm join 10.20.0.10:6443 --token "$(cat /run/join-token)" \
  --discovery-token-ca-cert-hash sha256:9d1f3c4e5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f
