#!/bin/bash
# By way of Docker, which wants containerd
set -euo pipefail
yum install -y docker-ce containerd.io kubelet kubeadm
systemctl enable --now docker kubelet
sed -i '/disabled_plugins/d' /etc/containerd/config.toml
systemctl restart containerd
kubeadm join 10.40.0.10:6443 --config /root/join.yaml
