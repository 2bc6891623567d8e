#!/bin/bash
wget https://developer.download.nvidia.com/compute/cuda/repos/wsl-ubuntu/x86_64/cuda-keyring_1.1-1_all.deb
dpkg -i cuda-keyring_1.1-1_all.deb
apt-get update
apt-get install -y cuda nvidia-container-toolkit
service docker restart
kubeadm join 10.0.0.10:6443 --config /etc/kubeadm/join.yaml
