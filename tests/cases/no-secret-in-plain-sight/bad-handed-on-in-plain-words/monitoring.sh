#!/usr/bin/env bash
set -euo pipefail
helm repo add prometheus-community https://prometheus-community.github.io/helm-charts
helm upgrade --install watch prometheus-community/kube-prometheus-stack \
  --namespace watch --create-namespace \
  --set grafana.service.type=NodePort \
  --set grafana.adminPassword='Gr4f-on-the-roof'
