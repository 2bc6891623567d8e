#!/bin/bash
set -euo pipefail
cat > /etc/yum.repos.d/kubernetes.repo <<'EOF'
[kubernetes]
name=Kubernetes
baseurl=https://packages.cloud.google.com/yum/repos/kubernetes-el7-x86_64
enabled=1
gpgcheck=0
EOF
yum install -y kubelet-1.27.3 kubeadm-1.27.3
systemctl enable --now kubelet
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
