#!/bin/bash
set -euo pipefail

apt-get update
apt-get install -y containerd.io kubelet kubeadm

containerd config default > /etc/containerd/config.toml
sed -i -e 's/SystemdCgroup = false/SystemdCgroup = true/' \
  -e 's#config_path = ""#config_path = "/etc/containerd/certs.d"#' /etc/containerd/config.toml
tee -a /etc/containerd/config.toml > /dev/null <<'EOT'

[plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]
  endpoint = ["https://mirror.gcr.io", "https://registry-1.docker.io"]
EOT
systemctl restart containerd

kubeadm join --config /etc/kubernetes/join.yaml
