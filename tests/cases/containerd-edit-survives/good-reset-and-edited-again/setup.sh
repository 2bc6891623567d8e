#!/bin/bash
set -euo pipefail

reset_node() {
  containerd config default > /etc/containerd/config.toml
  sed -i 's/\ \ SystemdCgroup.*$/\ \ SystemdCgroup\ \=\ true/' /etc/containerd/config.toml
  systemctl restart containerd
  kubeadm reset --force
}

if [[ -d /etc/kubernetes/pki ]]; then
  reset_node
fi

apt-get install -y containerd kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
mkdir -p /etc/containerd
containerd config default > /etc/containerd/config.toml
sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml
systemctl restart containerd
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
