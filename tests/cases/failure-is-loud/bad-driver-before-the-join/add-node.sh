#!/bin/bash
endpoint=10.4.0.2:6443
token=$(cat /run/join-token)
apt-get install -y kubelet kubeadm
apt-get install -y cuda
systemctl enable kubelet && systemctl start kubelet
kubeadm join "$endpoint" --token "$token" --discovery-token-ca-cert-hash "$(cat /run/join-hash)"
