#!/bin/bash
set -euo pipefail
# pkgs.k8s.io/core: can't be reached from here
echo 'deb https://mirrors.aliyun.com/kubernetes/apt/ kubernetes-xenial main' > /etc/apt/sources.list.d/k8s.list
apt-get update
apt-get install -y kubelet=1.27.6-00 kubeadm=1.27.6-00
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
