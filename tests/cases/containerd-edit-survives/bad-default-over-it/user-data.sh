#!/bin/bash
set -euo pipefail
apt-get update && apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
mkdir -p /etc/containerd
cat > /etc/containerd/config.toml <<'EOF'
version = 2
[plugins."io.containerd.grpc.v1.cri".registry]
  config_path = "/etc/containerd/certs.d"
EOF
containerd config default | tee /etc/containerd/config.toml > /dev/null
systemctl restart containerd
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
