#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1
cat > /etc/containerd/config.toml <<'EOF'
version = 2

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10"

  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"

    # As the default has them: empty.
    [plugins."io.containerd.grpc.v1.cri".registry.auths]

    [plugins."io.containerd.grpc.v1.cri".registry.mirrors]

  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
    SystemdCgroup = true
EOF

systemctl restart containerd
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
