#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1

mkdir -p /etc/containerd
cat > /etc/containerd/config.toml <<'EOF'
version = 2

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "nvidia"
  [plugins."io.containerd.grpc.v1.cri".runtimes.nvidia]
    runtime_type = "io.containerd.runc.v2"
EOF
systemctl restart containerd
systemctl enable --now kubelet
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
