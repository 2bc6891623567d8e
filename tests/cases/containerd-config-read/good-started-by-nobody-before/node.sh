#!/bin/bash
set -euo pipefail

dnf install -y containerd.io kubelet kubeadm
mkdir -p /etc/containerd
containerd config default > /etc/containerd/config.toml
sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml
systemctl enable --now containerd

swapoff -a
sed -i '/ swap / s/^/#/' /etc/fstab
systemctl enable kubelet
kubeadm join "$ENDPOINT" --config /etc/kubernetes/join.yaml
