#!/usr/bin/env bash
set -euo pipefail
gcloud container node-pools create gpu --cluster ml --zone us-central1-a --num-nodes 2 \
  --machine-type g2-standard-24 --accelerator type=nvidia-l4,count=2,gpu-driver-version=latest
# The plugin of GKE is the only one: the operator's is off in its values.
