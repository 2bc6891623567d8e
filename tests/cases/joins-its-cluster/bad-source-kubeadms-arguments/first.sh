#!/bin/bash
set -euo pipefail
apt-get install -y kubelet=1.34.1-1.1 kubeadm=1.34.1-1.1
cat > /root/first.yaml <<EOF
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration:
  kubeletExtraArgs:
    node-ip: ${ADDRESS}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
networking: {podSubnet: 10.244.0.0/16}
apiServer:
  extraArgs:
    - name: authorization-mode
      value: Node,RBAC
EOF
kubeadm init --config /root/first.yaml
