#!/bin/bash
set -euo pipefail
cat > /etc/modules-load.d/k8s.conf <<'MODULES'
overlay
br_netfilter
MODULES
modprobe overlay
modprobe br_netfilter
cat > /etc/sysctl.d/99-kubernetes.conf <<'KEYS'
net.bridge.bridge-nf-call-iptables = 1
net.ipv4.ip_forward = 1
KEYS
sysctl --system
apt-get update
apt-get install -y containerd kubelet kubeadm
systemctl enable --now containerd kubelet
