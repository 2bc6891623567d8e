#!/bin/bash
set -euo pipefail
helm repo add nvidia https://helm.ngc.nvidia.com/nvidia
helm upgrade --install gpu-operator nvidia/gpu-operator --version v25.3.0 -n gpu-operator --create-namespace -f helm/values.yaml
