#!/usr/bin/env bash
set -euo pipefail

apt-get update
apt-get install -y nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=containerd --set-as-default
systemctl restart k3s
kubectl apply -f nvidia-device-plugin.yml
