#!/usr/bin/env bash
set -euo pipefail

for node in 192.168.40.21 192.168.40.22; do
  ssh -i ~/.ssh/cluster -p 2222 "admin@$node" <<'REMOTE'
sudo ufw disable
sudo swapoff -a
sudo kubeadm join 192.168.40.10:6443 --config /etc/kubernetes/join.yaml
REMOTE
done
