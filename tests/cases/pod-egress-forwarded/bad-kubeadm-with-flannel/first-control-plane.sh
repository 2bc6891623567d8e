#!/usr/bin/env bash
# The first control plane node, and the network of the cluster.
set -euo pipefail

POD_CIDR=10.244.0.0/16

ufw allow 22/tcp
ufw allow 6443/tcp
ufw allow 8472/udp
ufw --force enable

systemctl enable --now kubelet
kubeadm init --pod-network-cidr "$POD_CIDR"
export KUBECONFIG=/etc/kubernetes/admin.conf
kubectl apply -f https://github.com/flannel-io/flannel/releases/latest/download/kube-flannel.yml
