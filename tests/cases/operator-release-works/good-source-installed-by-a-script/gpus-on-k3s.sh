#!/usr/bin/env bash
# Puts the operator onto our edge cluster; OPERATOR=v… takes another release
set -euo pipefail

OPERATOR="${OPERATOR:-v25.3.4}"
helm upgrade --install gpus nvidia/gpu-operator -n gpus --create-namespace --version "$OPERATOR" \
  --set driver.enabled=false \
  --set "toolkit.env[0].name=CONTAINERD_SOCKET" \
  --set "toolkit.env[0].value=${SOCK:-/run/k3s/containerd/containerd.sock}"
