#!/bin/bash
set -euo pipefail
helm repo add nvdp https://nvidia.github.io/k8s-device-plugin
helm upgrade --install nvdp nvdp/nvidia-device-plugin --namespace kube-system --version 0.18.2 \
  --set-string nodeSelector."nvidia\.com/gpu\.present"=true --set gfd.enabled=true
helm upgrade --install gpu-operator nvidia/gpu-operator --namespace gpu-operator --create-namespace --version v25.10.1 \
  --set driver.enabled=false --set devicePlugin.enabled=false
