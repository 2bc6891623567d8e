#!/bin/bash
set -euo pipefail

apt-get update
apt-get install -y containerd.io nvidia-container-toolkit kubelet kubeadm

containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' > /etc/containerd/config.toml
cat <<'EOT' | tee -a /etc/containerd/config.toml
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]
    BinaryName = "/usr/bin/nvidia-container-runtime"
EOT
systemctl restart containerd

kubeadm join --config /etc/kubernetes/join.yaml
