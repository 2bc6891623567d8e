#!/usr/bin/env bash
set -euo pipefail
GPU_DRIVER="${GPU_DRIVER:-none}"
az aks create -g models -n models --node-count 1 --generate-ssh-keys
az aks nodepool add -g models --cluster-name models --name gpu --node-count 1 \
  --node-vm-size Standard_NC24ads_A100_v4 --gpu-driver "$GPU_DRIVER"
helm upgrade --install nvdp nvdp/nvidia-device-plugin --version 0.17.4 --namespace kube-system
