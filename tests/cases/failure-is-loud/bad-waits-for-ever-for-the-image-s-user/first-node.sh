#!/bin/bash
apt-get install -y kubelet kubeadm kubectl
kubeadm init --config /opt/first.yaml
install -D -o ubuntu -g ubuntu /etc/kubernetes/admin.conf /home/ubuntu/.kube/config
while ! su - ubuntu -c "kubectl get sa default" >/dev/null 2>&1; do sleep 2; done
su - ubuntu -c "kubectl apply -f /opt/network.yaml"
