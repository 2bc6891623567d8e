#!/usr/bin/env bash
set -euo pipefail
k3sup install --ip 192.168.7.20 --user ops --k3s-extra-args "--disable traefik"
k3sup join --ip 192.168.7.21 --server-ip 192.168.7.20 --user ops
export KUBECONFIG=$PWD/kubeconfig
helm upgrade --install gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace \
  --set toolkit.env[0].name=CONTAINERD_SOCKET --set toolkit.env[0].value=/run/containerd/containerd.sock
