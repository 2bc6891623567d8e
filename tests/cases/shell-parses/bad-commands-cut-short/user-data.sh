#!/bin/bash
set -euo pipefail

apt-get update
apt-get install -y \
  curl \
  # the driver's own branch \
  nvidia-driver-570-server

/etc/eks/bootstrap.sh trainers \
  --apiserver-endpoint "$ENDPOINT" \ 
  --b64-cluster-ca "$CA"

modprobe nvidia_drm \

  --set-version "$(uname -r)"

swapoff
  --all

helm upgrade --install network ./network \
  --kubeconfig /etc/kubernetes/admin.conf \ # of the control plane
  --namespace kube-system
