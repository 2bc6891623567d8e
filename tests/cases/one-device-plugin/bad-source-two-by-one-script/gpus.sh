#!/usr/bin/env bash
set -euo pipefail
helm repo add nvdp https://nvidia.github.io/k8s-device-plugin
helm repo add hami-charts https://project-hami.github.io/HAMi/
helm upgrade --install nvdp nvdp/nvidia-device-plugin -n kube-system --version 0.17.4 --set gfd.enabled=true
helm upgrade --install hami hami-charts/hami -n kube-system \
  --set scheduler.kubeScheduler.imageTag=v1.31.4 --set devicePlugin.deviceSplitCount=4
