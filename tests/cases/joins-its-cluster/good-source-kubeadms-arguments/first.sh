#!/bin/bash
set -euo pipefail
apt-get install -y kubelet=1.34.1-1.1 kubeadm=1.34.1-1.1
cat > /root/first.yaml <<EOF
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
etcd:
  local:
    extraArgs: [{name: quota-backend-bytes, value: "8589934592"}]
EOF
kubeadm init --config /root/first.yaml
