#!/bin/bash
set -euo pipefail
cat >/etc/sysctl.d/90-pods.conf <<EOF
net.ipv4.ip_forward = 1
net.bridge.bridge-nf-call-iptables = 1
EOF 
sysctl --system
apt-get install -y containerd kubelet kubeadm
kubeadm join 10.20.0.5:6443 --config /etc/kubernetes/join.yaml
