#!/bin/bash
apt-get install -y kubelet kubeadm
if [ "$1" = worker ]; then
  kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
  exit
fi
kubeadm init --config /etc/kubernetes/first.yaml
exit $?

echo "the network comes by hand"
