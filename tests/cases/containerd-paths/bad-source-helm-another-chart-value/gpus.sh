#!/usr/bin/env bash
set -euo pipefail
helm repo add nvidia https://helm.ngc.nvidia.com/nvidia
helm upgrade --install gpu-operator nvidia/gpu-operator --namespace gpu-operator --create-namespace \
  --version v25.3.4 --set driver.enabled=false \
  --set containerRuntime.socketPath=/var/snap/microk8s/common/run/containerd.sock
