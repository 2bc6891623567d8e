#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd kubelet kubeadm
apt-get install -y nvidia-container-toolkit
install -d /etc/containerd
containerd config default > /etc/containerd/config.toml
systemctl restart containerd
kubeadm join --config /root/join.yaml
nvidia-ctk runtime configure --runtime=containerd --set-as-default
echo "a reboot follows"
shutdown -r +1
