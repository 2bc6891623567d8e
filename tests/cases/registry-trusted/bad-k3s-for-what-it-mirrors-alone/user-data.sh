#!/bin/sh
set -eu
echo "10.43.12.9 registry-ghcr.gpu-controlplane.svc.cluster.local" >> /etc/hosts

mkdir -p /etc/rancher/k3s
cat > /etc/rancher/k3s/registries.yaml <<'EOF'
mirrors:
  ghcr.io:
    endpoint: ["http://registry-ghcr.gpu-controlplane.svc.cluster.local:5000"]
EOF

curl -sfL https://get.k3s.io -o /root/install-k3s.sh
K3S_URL=https://k3s.internal:6443 K3S_TOKEN_FILE=/etc/rancher/k3s/cluster.token sh /root/install-k3s.sh agent
