#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-driver-570-server nvidia-container-toolkit containerd.io kubelet kubeadm
nvidia-ctk runtime configure --runtime=containerd --set-as-default
systemctl enable containerd kubelet
systemctl restart containerd
kubeadm join 10.0.0.10:6443 --token "$(cat /run/join/token)" --discovery-token-ca-cert-hash "sha256:$(cat /run/join/hash)"
