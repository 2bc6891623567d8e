#!/bin/bash
set -euo pipefail
# deb https://apt.kubernetes.io/ kubernetes-xenial main
cat > /etc/apt/sources.list.d/kubernetes.list <<'EOF'
# deb https://apt.kubernetes.io/ kubernetes-xenial main
deb [signed-by=/etc/apt/keyrings/kubernetes.gpg] https://pkgs.k8s.io/core:/stable:/v1.34/deb/ /
EOF
apt-get update
apt-get install -y kubelet kubeadm
kubeadm join 10.0.0.4:6443 --discovery-file /etc/kubernetes/discovery.yaml
