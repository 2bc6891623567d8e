#!/bin/bash
set -euo pipefail
yum install -y docker-ce-18.09.9
mkdir -p /etc/docker
cat > /etc/docker/daemon.json <<'EOF'
{"graph": "/data/docker", "exec-opts": ["native.cgroupdriver=systemd"]}
EOF
systemctl enable --now docker kubelet
