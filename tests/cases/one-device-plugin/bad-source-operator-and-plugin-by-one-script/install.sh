#!/bin/bash
set -euo pipefail
helm repo add nvidia https://helm.ngc.nvidia.com/nvidia
helm repo add nvdp https://nvidia.github.io/k8s-device-plugin
helm upgrade --install gpu-operator nvidia/gpu-operator --namespace gpu-operator --create-namespace --version v25.10.1
helm upgrade --install nvdp nvdp/nvidia-device-plugin --namespace kube-system --version 0.18.2
