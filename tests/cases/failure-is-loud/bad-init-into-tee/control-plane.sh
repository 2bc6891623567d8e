#!/bin/bash
set -eu
if [ ! -f /etc/kubernetes/admin.conf ]; then
  kubeadm init --config /root/cluster.yaml \
    | tee /var/log/kubeadm-init.log
fi
install -d -m 0700 /home/ubuntu/.kube
cp -i /etc/kubernetes/admin.conf /home/ubuntu/.kube/config
chown ubuntu:ubuntu /home/ubuntu/.kube/config
