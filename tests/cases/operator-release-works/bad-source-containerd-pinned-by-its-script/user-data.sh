#!/bin/bash
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q containerd.io=1.6.33-1 kubelet=1.32.4-1.1 kubeadm=1.32.4-1.1
apt-mark hold containerd.io kubelet kubeadm
sed -i '/disabled_plugins/d' /etc/containerd/config.toml
systemctl restart containerd
kubeadm join --config /etc/kubernetes/join.yaml
