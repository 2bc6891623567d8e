#!/bin/bash
set -euo pipefail
curl -sfL https://get.rke2.io -o /root/rke2.sh
curl -sfL https://get.rke2.io | sh -
systemctl enable --now rke2-server.service
export KUBECONFIG=/etc/rancher/rke2/rke2.yaml
cat > /root/gpu-operator.yaml <<'EOF'
driver:
  enabled: false
toolkit:
  env:
    - name: CONTAINERD_SOCKET
      value: /run/containerd/containerd.sock
EOF
helm install gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace -f /root/gpu-operator.yaml
