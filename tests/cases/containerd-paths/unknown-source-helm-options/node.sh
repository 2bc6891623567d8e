#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io | sh -
helm upgrade -i gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace --set driver.enabled=false \
  -f /srv/values/gpu-operator.yaml
