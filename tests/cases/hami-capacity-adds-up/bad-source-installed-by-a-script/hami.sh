#!/usr/bin/env bash
set -euo pipefail
helm repo add hami-charts https://project-hami.github.io/HAMi/
helm install hami hami-charts/hami -n kube-system --set scheduler.kubeScheduler.imageTag=v1.31.4 --set devicePlugin.deviceSplitCount=0
