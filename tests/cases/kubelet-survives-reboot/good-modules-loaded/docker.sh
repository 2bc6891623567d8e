#!/bin/bash
set -euo pipefail
apt-get install -y docker.io kubelet kubeadm
modprobe overlay br_netfilter  # dockerd has loaded the second
echo 'net.bridge.bridge-nf-call-iptables = 1' > /etc/sysctl.d/k8s.conf
sysctl --system
kubeadm join 10.0.0.10:6443 --config /etc/kubernetes/join.yaml
