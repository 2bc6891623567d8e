#!/bin/bash
set -e
apt-get update
apt-get install -y containerd kubeadm kubelet
for try in 1 2 3 4 5; do
  kubeadm join 10.0.0.10:6443 --config /etc/kubeadm/join.yaml || { sleep 15; continue; }
  exit 0
done
exit 1
