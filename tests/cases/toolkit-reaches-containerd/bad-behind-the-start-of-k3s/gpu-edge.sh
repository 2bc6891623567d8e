#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io | sh -s - --disable traefik

apt-get update
apt-get install -y nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=containerd
kubectl apply -f https://raw.githubusercontent.com/NVIDIA/k8s-device-plugin/v0.17.0/deployments/static/nvidia-device-plugin.yml
