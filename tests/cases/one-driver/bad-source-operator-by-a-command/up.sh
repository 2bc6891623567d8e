#!/bin/bash
set -euo pipefail
eksctl create cluster --name research --version 1.33 --node-type g5.2xlarge --nodes 2
helm upgrade --install gpu-operator nvidia/gpu-operator --namespace gpu-operator --create-namespace \
  --version v25.10.0 --set driver.enabled=true
