#!/bin/bash
dnf install -y kubelet kubeadm kubectl
kubeadm init --config /etc/kubeadm/first.yaml
install -D -m 600 /etc/kubernetes/admin.conf /root/.kube/config
until kubectl get crd ippools.crd.projectcalico.org &>/dev/null; do sleep 5; done
timedatectl set-timezone UTC
