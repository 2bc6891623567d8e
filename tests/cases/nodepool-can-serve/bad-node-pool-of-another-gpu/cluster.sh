#!/bin/bash
set -euo pipefail
gcloud container clusters create training --region us-central1 --num-nodes 1
gcloud container node-pools create small --cluster training --region us-central1 \
  --accelerator type=nvidia-l4,count=1,gpu-driver-version=latest --machine-type g2-standard-8
