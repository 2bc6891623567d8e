apiVersion: v1
kind: Pod
metadata: {name: smi}
spec:
  restartPolicy: Never
  containers:
    - name: smi
      image: nvidia/cuda:12.8.0-base-ubuntu22.04
      command: [nvidia-smi]
      resources: {limits: {nvidia.com/gpu: "${gpus}"}}
