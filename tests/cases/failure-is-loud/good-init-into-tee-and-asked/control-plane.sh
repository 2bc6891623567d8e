#!/bin/bash
set -eu
kubeadm init --config /root/cluster.yaml | tee /var/log/kubeadm-init.log
install -d -m 0700 /home/ubuntu/.kube
cp -i /etc/kubernetes/admin.conf /home/ubuntu/.kube/config
chown ubuntu:ubuntu /home/ubuntu/.kube/config
# Nothing answers where the control plane does not run, and set -e ends the script here.
kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f /root/cni.yaml
