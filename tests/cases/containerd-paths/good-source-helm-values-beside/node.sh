#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io | sh -
export KUBECONFIG=/etc/rancher/k3s/k3s.yaml
helm install gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace -f values/gpu-operator.yaml
