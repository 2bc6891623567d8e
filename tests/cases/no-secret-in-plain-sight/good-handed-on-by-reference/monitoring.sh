#!/usr/bin/env bash
set -euo pipefail
helm upgrade --install watch prometheus-community/kube-prometheus-stack --set grafana.adminPassword="$GRAFANA_PASSWORD"
helm upgrade --install queue bitnami/postgresql --set auth.existingSecret=queue-auth --set auth.password=<PASSWORD>
kubectl create secret generic queue --from-literal=password="$(openssl rand -hex 16)"
echo "Grafana's password: kubectl get secret watch-grafana -o jsonpath='{.data.admin-password}'"
