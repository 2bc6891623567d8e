#!/bin/bash
set -euo pipefail
curl -fsSL https://github.com/containerd/containerd/releases/download/v1.2.9/containerd-1.2.9.linux-amd64.tar.gz | tar -xz -C /usr/local
mkdir -p /etc/containerd
cat > /etc/containerd/config.toml <<'CONFIG'
[plugins]
  [plugins.cri.containerd]
    snapshotter = "overlayfs"
CONFIG
cat > /etc/systemd/system/containerd.service <<'UNIT'
[Service]
ExecStart=/usr/local/bin/containerd
[Install]
WantedBy=multi-user.target
UNIT
curl -fsSLo /usr/local/bin/kubelet https://dl.k8s.io/v1.15.3/bin/linux/amd64/kubelet
systemctl enable --now containerd
