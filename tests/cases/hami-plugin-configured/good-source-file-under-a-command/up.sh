#!/bin/bash
set -euo pipefail
helm upgrade --install hami hami-charts/hami --version 2.6.0 -n kube-system \
  -f hami.yaml \
  --set devicePlugin.migStrategy=none
