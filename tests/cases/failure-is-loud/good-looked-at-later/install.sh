#!/bin/bash
# A k3s server of one machine, with its operator.
set -e

curl -sfL https://get.k3s.io | sh -s - --write-kubeconfig-mode 644
sleep 15

mkdir -p "$HOME/.kube"
if [ -f /etc/rancher/k3s/k3s.yaml ]; then
  cp /etc/rancher/k3s/k3s.yaml "$HOME/.kube/config"
else
  echo "k3s wrote no kubeconfig: it is not installed" >&2
  exit 1
fi

helm repo add nvidia https://helm.ngc.nvidia.com/nvidia
echo "done"
