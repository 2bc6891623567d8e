#!/bin/bash
set -euo pipefail
gcloud container node-pools create more --cluster research --machine-type g2-standard-24 --num-nodes 1 \
  --accelerator type=nvidia-l4,count=1,gpu-driver-version=latest
