#!/bin/bash
dnf install -y kubelet kubeadm kubectl
kubeadm init --config /etc/kubeadm/first.yaml
install -D -m 600 /etc/kubernetes/admin.conf /root/.kube/config
tries=0
until kubectl get crd ippools.crd.projectcalico.org &>/dev/null; do
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ]; then echo "no network after five minutes"; exit 1; fi
  sleep 5
done
kubectl apply -f /opt/network/pools.yaml
