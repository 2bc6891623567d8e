#!/bin/bash
set -euo pipefail
printf 'overlay\nbr_netfilter\n' > /etc/modules-load.d/k8s.conf
modprobe -a overlay br_netfilter
printf 'net.ipv4.ip_forward = 1\nnet.bridge.bridge-nf-call-iptables = 1\n' > /etc/sysctl.d/k8s.conf
sysctl --system
echo "deb [signed-by=/etc/apt/keyrings/k8s.gpg] https://pkgs.k8s.io/core:/stable:/v1.29/deb/ /" > /etc/apt/sources.list.d/k8s.list
apt-get update
apt-get install -y containerd kubelet kubeadm
mkdir -p /etc/containerd
containerd config default > /etc/containerd/config.toml
systemctl restart containerd
kubeadm join 10.0.0.10:6443 --config /etc/kubernetes/join.yaml
