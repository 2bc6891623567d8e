#!/usr/bin/env bash
set -euo pipefail
helm upgrade --install plugin nvdp/nvidia-device-plugin -n kube-system --version 0.17.4
