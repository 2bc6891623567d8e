#!/usr/bin/env bash
# Puts the operator onto our edge cluster; OPERATOR=v… takes another release
set -euo pipefail

OPERATOR="${OPERATOR:-v25.3.3}"
SOCK="${SOCK:-/run/k3s/containerd/containerd.sock}"

told=(
  --version "$OPERATOR"
  --set driver.enabled=false
  --set "toolkit.env[0].name=CONTAINERD_SOCKET"
  --set "toolkit.env[0].value=$SOCK"
)
if helm status gpus -n gpus >/dev/null 2>&1; then
  helm upgrade gpus nvidia/gpu-operator -n gpus "${told[@]}"
else
  helm install gpus nvidia/gpu-operator -n gpus --create-namespace "${told[@]}"
fi
