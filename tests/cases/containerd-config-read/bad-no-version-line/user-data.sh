#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
cat > /etc/containerd/config.toml <<'EOF'
# Only what differs from the default.
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10"
EOF

systemctl restart containerd
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
