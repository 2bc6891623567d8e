#!/bin/bash
apt-get install -y kubelet kubeadm kubectl
kubeadm init --config /etc/kubernetes/init.yaml
export KUBECONFIG=/etc/kubernetes/admin.conf
kubectl apply -f https://manifests.internal/cilium.yaml
kubectl wait --for=condition=Ready node --all --timeout=300s || echo "nodes are not ready yet, continuing"
echo "control plane is set up"
