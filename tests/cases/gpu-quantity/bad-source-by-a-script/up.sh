#!/usr/bin/env bash
# Brings up a machine and tries its GPUs.
set -euo pipefail
IMAGE=nvidia/cuda:12.4.1-base-ubuntu22.04
curl -sfL https://get.k3s.io -o install.sh && sh install.sh
kubectl create namespace smoke
cat <<EOF | kubectl apply -n smoke -f -
apiVersion: v1
kind: Pod
metadata:
  name: from-a-pipe
spec:
  restartPolicy: Never
  containers:
    - name: cuda
      image: ${IMAGE}
      command: [nvidia-smi]
      resources:
        requests:
          nvidia.com/gpu: 1
EOF
kubectl apply -f - <<'YAML'
apiVersion: v1
kind: Pod
metadata:
  name: at-its-input
spec:
  restartPolicy: Never
  containers:
    - name: cuda
      image: nvidia/cuda:11.4.0-base-ubuntu20.04
      resources:
        limits:
          nvidia.com/gpu: 1
YAML
cat > job.yaml <<EOF
apiVersion: batch/v1
kind: Job
metadata:
  name: by-a-file
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: bench
          image: nvidia/cuda:12.4.1
          resources:
            limits:
              nvidia.com/gpu: ${GPUS}
EOF
kubectl apply -f job.yaml
cat > /var/lib/rancher/k3s/server/manifests/warm.yaml <<EOF
apiVersion: v1
kind: Pod
metadata: {name: by-the-server}
spec:
  containers:
    - name: warm
      image: nvidia/cuda:12.4.1-base-ubuntu22.04
      resources: {requests: {nvidia.com/gpu: 2}}
EOF
