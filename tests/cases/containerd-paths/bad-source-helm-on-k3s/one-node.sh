#!/usr/bin/env bash
set -euo pipefail
# one workstation with a GPU; the driver came with the image
if [ "$EUID" -eq 0 ]; then
  echo "run it as yourself, sudo is used where it is needed" >&2
  exit 1
fi
sudo apt-get update
sudo apt-get install -y open-iscsi
if ! command -v k3s; then
  curl -sfL https://get.k3s.io -o /tmp/k3s.sh
  INSTALL_K3S_EXEC="server --disable traefik" sh /tmp/k3s.sh
  curl -sfL https://get.k3s.io | sh -
fi
mkdir -p "$HOME/.kube"
sudo install -o "$USER" -m 600 /etc/rancher/k3s/k3s.yaml "$HOME/.kube/config"
export KUBECONFIG="$HOME/.kube/config"
helm repo add nvidia https://helm.ngc.nvidia.com/nvidia
helm upgrade --install gpu-operator nvidia/gpu-operator \
  --namespace gpu-operator --create-namespace \
  --version v25.10.1 \
  --set driver.enabled=false \
  --wait --timeout 20m
