#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io=1.7.27-1 kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
echo "10.96.44.17 registry-ghcr.gpu-controlplane.svc.cluster.local" >> /etc/hosts
mkdir -p /etc/containerd/certs.d/registry-ghcr.gpu-controlplane.svc.cluster.local:5000
cat > /etc/containerd/certs.d/registry-ghcr.gpu-controlplane.svc.cluster.local:5000/hosts.toml <<'REGISTRY_EOF'
server = "http://registry-ghcr.gpu-controlplane.svc.cluster.local:5000"

[host."http://registry-ghcr.gpu-controlplane.svc.cluster.local:5000"]
  capabilities = ["pull", "resolve"]
REGISTRY_EOF

kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
