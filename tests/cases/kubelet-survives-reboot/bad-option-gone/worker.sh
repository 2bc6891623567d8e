#!/bin/bash
set -euo pipefail
swapoff -a && sed -ri '/\sswap\s/s/^/#/' /etc/fstab
echo 'deb [signed-by=/etc/apt/keyrings/k8s.gpg] https://pkgs.k8s.io/core:/stable:/v1.31/deb/ /' > /etc/apt/sources.list.d/k8s.list
apt-get update
apt-get install -y containerd kubelet kubeadm
mkdir -p /etc/systemd/system/kubelet.service.d
cat > /etc/systemd/system/kubelet.service.d/20-runtime.conf <<EOF
[Service]
# --network-plugin went with dockershim
Environment="KUBELET_EXTRA_ARGS=--network-plugin=cni --container-runtime=remote --container-runtime-endpoint=unix:///run/containerd/containerd.sock"
EOF
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
