#!/bin/bash
set -euo pipefail
NODES="10.3.0.11 10.3.0.12"
read -rsp 'Password of the nodes: ' NODE_PASS

for node in $NODES; do
  sshpass -p "$NODE_PASS" ssh "ops@$node" bash <<'EOF'
set -euo pipefail
sudo apt-get install -y containerd kubelet kubeadm
sudo systemctl enable --now kubelet
EOF
  sshpass -p "$NODE_PASS" ssh "ops@$node" "sudo kubeadm join 10.3.0.10:6443 --config /root/join.yaml"
done
