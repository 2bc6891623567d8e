#!/bin/bash
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

# Profiling for everyone, before anything can load the module.
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf

curl -fsSLo /tmp/cuda-keyring.deb https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2204/x86_64/cuda-keyring_1.1-1_all.deb
dpkg -i /tmp/cuda-keyring.deb
apt-get update

BRANCH=570
apt-get install -y "nvidia-driver-$BRANCH-server" "nvidia-fabricmanager-$BRANCH"
if [ "$(nproc)" -gt 96 ]; then
  systemctl enable --now nvidia-fabricmanager
fi

/etc/eks/bootstrap.sh gpu-dev \
  --apiserver-endpoint https://4A5B6C7D8E9F00112233445566778899.gr7.us-east-2.eks.amazonaws.com \
  --b64-cluster-ca LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmekNDQVNXZ0F3SUJBZ0lVUVF0d2JjcXNmMmNia1UramF2NnprejhMMmcwd0NnWUlLb1pJemowRUF3SXcKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo= \
  --dns-cluster-ip 172.20.0.10 \
  --kubelet-extra-args '--node-labels=kind=worker'
