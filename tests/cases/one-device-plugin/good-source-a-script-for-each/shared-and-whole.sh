#!/usr/bin/env bash
set -euo pipefail
helm upgrade --install nvdp nvdp/nvidia-device-plugin -n kube-system --version 0.17.4 --set nodeSelector.gpus=whole
if [ "${SHARED:-yes}" = yes ]; then
  helm upgrade --install hami hami-charts/hami -n kube-system \
    --set scheduler.kubeScheduler.imageTag=v1.31.4 --set devicePlugin.nvidianodeSelector.gpus=shared
else
  helm upgrade --install rest nvdp/nvidia-device-plugin -n kube-system --version 0.17.4
fi
