#!/bin/bash
apt-get update
apt-get install -y containerd kubeadm kubelet
while true; do
  kubeadm join 10.0.0.10:6443 --config /etc/kubeadm/join.yaml && break || sleep 15
done
echo joined
