#!/bin/bash
# Makes a worker of a fresh Ubuntu server; run by hand, once.
set -euo pipefail

modprobe overlay
modprobe br_netfilter
sysctl -w net.ipv4.ip_forward=1
swapoff -a

apt-get update
apt-get install -y containerd kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
systemctl enable kubelet
kubeadm join 10.20.0.10:6443 --config /root/join.yaml
