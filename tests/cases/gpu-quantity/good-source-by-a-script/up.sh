#!/usr/bin/env bash
set -euo pipefail
GPUS=1
kubectl apply -f - <<EOF
apiVersion: v1
kind: Pod
metadata:
  name: smoke
spec:
  restartPolicy: Never
  containers:
    - name: cuda
      image: nvidia/cuda:12.4.1-base-ubuntu22.04
      command: [nvidia-smi]
      resources:
        limits:
          nvidia.com/gpu: ${GPUS}
EOF
# Nobody applies it.
cat > example.yaml <<EOF
apiVersion: v1
kind: Pod
metadata: {name: example}
spec:
  containers:
    - name: cuda
      image: nvidia/cuda:12.4.1-base-ubuntu22.04
      resources: {requests: {nvidia.com/gpu: 1}}
EOF
kubectl apply --dry-run=client -f - <<EOF
apiVersion: v1
kind: Pod
metadata: {name: tried}
spec:
  containers:
    - name: cuda
      image: nvidia/cuda:12.4.1-base-ubuntu22.04
      resources: {requests: {nvidia.com/gpu: 1}}
EOF
