#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1

mkdir -p /etc/containerd/conf.d
containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' > /etc/containerd/config.toml
tee /etc/containerd/conf.d/10-registries.toml > /dev/null <<'TOML'
version = 3

[plugins.'io.containerd.cri.v1.images'.registry]
  config_path = '/etc/containerd/certs.d'
TOML

systemctl restart containerd
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
