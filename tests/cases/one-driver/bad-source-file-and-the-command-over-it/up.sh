#!/bin/bash
set -euo pipefail
helm upgrade --install gpu-operator nvidia/gpu-operator \
  --version v25.3.4 --namespace gpu-operator --create-namespace \
  -f values.yaml \
  --set driver.enabled=true
