#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1

# kubelet is no pod: the node has to know the address of the cache's Service.
echo "172.20.44.17 registry-ghcr.gpu-controlplane.svc.cluster.local" >> /etc/hosts

mkdir -p /etc/containerd
containerd config default > /etc/containerd/config.toml
sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml
sed -i 's|config_path = ""|config_path = "/etc/containerd/certs.d"|' /etc/containerd/config.toml
mkdir -p /etc/containerd/certs.d/registry-ghcr.gpu-controlplane.svc.cluster.local:5000
cat > /etc/containerd/certs.d/registry-ghcr.gpu-controlplane.svc.cluster.local:5000/hosts.toml <<'REGISTRY_EOF'
server = "http://registry-ghcr.gpu-controlplane.svc.cluster.local:5000"

[host."http://registry-ghcr.gpu-controlplane.svc.cluster.local:5000"]
  capabilities = ["pull", "resolve"]
REGISTRY_EOF
systemctl enable --now containerd   # it runs since it was installed

kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
