#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet kubeadm
containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' > /etc/containerd/config.toml
systemctl restart containerd
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
