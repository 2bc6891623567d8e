#!/bin/bash
set -e
kubeadm init --pod-network-cidr=10.32.0.0/12
export KUBECONFIG=/etc/kubernetes/admin.conf
kubectl apply -f "https://cloud.weave.works/k8s/net?k8s-version=$(kubectl version | base64 | tr -d '\n')"
helm repo add stable https://kubernetes-charts.storage.googleapis.com
