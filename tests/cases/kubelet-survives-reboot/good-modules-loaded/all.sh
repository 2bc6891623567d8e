#!/bin/bash
set -euo pipefail
printf 'overlay\nbr_netfilter\n' > /etc/modules-load.d/k8s.conf
modprobe -a overlay br_netfilter
echo 'net.bridge.bridge-nf-call-iptables = 1' > /etc/sysctl.d/k8s.conf
sysctl --system
apt-get install -y containerd kubelet kubeadm
kubeadm join 10.0.0.10:6443 --config /etc/kubernetes/join.yaml
