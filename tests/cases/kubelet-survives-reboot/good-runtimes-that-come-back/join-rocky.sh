#!/bin/bash
# Rocky Linux 9: the machine becomes a worker
set -euo pipefail
dnf install -y containerd.io kubelet-1.33.4 kubeadm-1.33.4
sed -i '/disabled_plugins/d' /etc/containerd/config.toml
systemctl restart containerd
systemctl enable kubelet containerd
kubeadm join 10.40.0.10:6443 --config /root/join.yaml
