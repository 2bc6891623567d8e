#!/usr/bin/env bash
set -euo pipefail
az aks nodepool add --resource-group ml --cluster-name ml --name gpu --node-count 2 \
  --node-vm-size Standard_NC24ads_A100_v4
