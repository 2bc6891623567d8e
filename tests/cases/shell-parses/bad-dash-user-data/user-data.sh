#!/bin/sh
set -eu
PACKAGES=(nvidia-driver-570-server nvidia-container-toolkit)
apt-get update
apt-get install -y "${PACKAGES[@]}"
kubeadm join --config /etc/kubernetes/join.yaml
