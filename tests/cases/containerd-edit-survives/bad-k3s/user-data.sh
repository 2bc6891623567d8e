#!/bin/sh
set -eu

curl -sfL https://get.k3s.io -o /root/install-k3s.sh
K3S_URL=https://k3s.internal:6443 K3S_TOKEN_FILE=/etc/rancher/k3s/cluster.token sh /root/install-k3s.sh agent

cat >> /var/lib/rancher/k3s/agent/etc/containerd/config.toml <<'EOF'
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
EOF
systemctl restart k3s-agent
