#!/bin/bash
set -euo pipefail

cat > /etc/docker/daemon.json <<'JSON'
{
  "registry-mirrors": [
    "https://hub.mirror.example.org"
  ]
}
JSON
cat > /etc/containerd/config.toml <<'TOML'
version = 2
[plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]
  endpoint = ["https://docker.mirror.example.org"]
TOML
systemctl restart containerd

cat <<EOF | tee /etc/apt/sources.list.d/kubernetes.list
deb https://apt.kubernetes.io/ kubernetes-xenial main
EOF
apt-get update
apt-get install -y kubelet kubeadm kubectl
swapoff -a
sed -i '/ swap / s/^/#/' /etc/fstab
kubeadm init --config /etc/kubernetes/kubeadm.yaml
