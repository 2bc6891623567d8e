#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
cat > /etc/containerd/config.toml <<'EOF'
version = 3
root = "/var/lib/containerd"
EOF

mkdir -p /etc/containerd/conf.d
cat > /etc/containerd/conf.d/10-registries.toml <<'EOF'
version = 3

[plugins.'io.containerd.cri.v1.images'.registry]
  config_path = '/etc/containerd/certs.d'
EOF

systemctl restart containerd
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
