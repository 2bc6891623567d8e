#!/bin/bash
set -euo pipefail
mkdir -p /etc/containerd/certs.d/docker.io
cat > /etc/containerd/certs.d/docker.io/cache.crt <<'EOF'
-----BEGIN CERTIFICATE-----
MIIBszCCAVmgAwIBAgIUYb0a1z2y3x4w5v6u7t8s9r0q1p0wCgYIKoZIzj0EAwIw
-----END CERTIFICATE-----
EOF
cat > /etc/containerd/certs.d/docker.io/hosts.toml <<'EOF'
server = "https://registry-1.docker.io"

[host."https://cache.models.example.com:5000"]
  capabilities = ["pull", "resolve"]
  ca = "/etc/containerd/certs.d/docker.io/ca.crt"
EOF
kubeadm join 10.0.0.10:6443 --config /etc/kubernetes/join.yaml
