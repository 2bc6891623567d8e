#!/bin/bash
set -euo pipefail
swapoff -a
sed -i '/\sswap\s/d' /etc/fstab
modprobe overlay br_netfilter
cat > /etc/sysctl.d/k8s.conf <<EOF
net.bridge.bridge-nf-call-iptables = 1
net.ipv4.ip_forward = 1
EOF
sysctl --system
apt-get install -y containerd kubelet kubeadm
kubeadm join 10.0.0.10:6443 --config /etc/kubernetes/join.yaml
