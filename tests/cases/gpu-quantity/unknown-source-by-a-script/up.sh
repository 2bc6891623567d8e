#!/usr/bin/env bash
set -euo pipefail
kubectl apply -f - <<EOF
apiVersion: v1
kind: Pod
metadata:
  name: smoke
spec:
  containers:
    - name: cuda
      image: nvidia/cuda:12.4.1-base-ubuntu22.04
      resources:
        requests:
          nvidia.com/gpu: 1
        limits:
          nvidia.com/gpu: ${GPUS}
EOF
