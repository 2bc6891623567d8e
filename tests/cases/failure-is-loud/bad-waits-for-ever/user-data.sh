#!/bin/bash
dnf install -y kubelet kubeadm kubectl
kubeadm init --config /etc/kubeadm/first.yaml
install -D -m 600 -o trainer -g trainer /etc/kubernetes/admin.conf /home/trainer/.kube/config
echo "cluster is up, network next"
until kubectl --kubeconfig /etc/kubernetes/admin.conf get crd ippools.crd.projectcalico.org &>/dev/null; do
  sleep 5
done
kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f /opt/network/pools.yaml
