#!/bin/bash
# Makes the two machines of the lab ready, from the laptop.
set -euo pipefail

for node in gpu-1 gpu-2; do
  ssh "root@$node" <<'THERE'
set -e
swapoff -a
echo "deb https://apt.kubernetes.io/ kubernetes-xenial main" > /etc/apt/sources.list.d/kubernetes.list
apt-get update
apt-get install -y kubelet kubeadm
THERE
done
