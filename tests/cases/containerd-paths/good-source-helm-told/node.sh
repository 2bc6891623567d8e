#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io | sh -s - server --write-kubeconfig-mode 640
export KUBECONFIG=/etc/rancher/k3s/k3s.yaml
helm repo add nvidia https://helm.ngc.nvidia.com/nvidia
helm install gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace $EXTRA \
  --set 'toolkit.env[0].name=CONTAINERD_SOCKET,toolkit.env[0].value=/run/k3s/containerd/containerd.sock' \
  --set toolkit.enabled=true
