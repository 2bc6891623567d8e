#!/bin/bash
# Run by hand whenever the machine has been off.
export KUBECONFIG=/etc/kubernetes/admin.conf
sudo swapoff -a
sudo systemctl restart kubelet
until nc -z localhost 6443; do sleep 3; done
kubectl get nodes -o wide
