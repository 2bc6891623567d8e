#!/usr/bin/env bash
set -euo pipefail
curl -sfLo /tmp/k3s.sh https://get.k3s.io
INSTALL_K3S_EXEC="server --data-dir /scratch/k3s" sh /tmp/k3s.sh
export KUBECONFIG=/etc/rancher/k3s/k3s.yaml
helm upgrade --install gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace \
  --set toolkit.env[0].name=CONTAINERD_CONFIG \
  --set toolkit.env[0].value=/scratch/k3s/agent/etc/containerd/config.toml \
  --set toolkit.env[1].name=CONTAINERD_SOCKET \
  --set toolkit.env[1].value=/run/k3s/containerd/containerd.sock
