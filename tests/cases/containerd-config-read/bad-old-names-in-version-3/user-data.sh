#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd.io kubelet=1.33.1-1.1 kubeadm=1.33.1-1.1

# Schema 3, as containerd 2 wants it.
cat > /etc/containerd/config.toml <<'EOF'
version = 3

[plugins."io.containerd.grpc.v1.cri".registry]
  config_path = "/etc/containerd/certs.d"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = true
EOF

systemctl restart containerd
kubeadm join control-plane.internal:6443 --config /etc/kubernetes/join.yaml
