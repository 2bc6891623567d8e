#!/bin/bash
# User data of the GPU nodes (Amazon Linux 2023)
set -euo pipefail

exec > >(tee /var/log/user-data.log) 2>&1
echo "[$(date -u +%FT%TZ)] starting user data"

# Everything the kernel modules need to be built
dnf update -y
dnf install -y kernel-devel-"$(uname -r)" kernel-headers-"$(uname -r)" gcc make dkms wget jq

# NVIDIA's repository for Amazon Linux 2023
ARCH=$(uname -m)
REPO="https://developer.download.nvidia.com/compute/cuda/repos/amzn2023/${ARCH}"
dnf config-manager --add-repo "${REPO}/cuda-amzn2023.repo"
dnf clean expire-cache

# The driver
#   -y: nobody is there to answer
echo "[$(date -u +%FT%TZ)] installing the NVIDIA driver"
dnf module enable -y nvidia-driver:open-dkms

dnf install -y nvidia-driver nvidia-driver-cuda nvidia-fabricmanager

# Container toolkit
curl -fsSL -o /etc/yum.repos.d/nvidia-container-toolkit.repo \
  https://nvidia.github.io/libnvidia-container/stable/rpm/nvidia-container-toolkit.repo
dnf install -y nvidia-container-toolkit

# kubelet's configuration
mkdir -p /etc/eks
cat > /etc/eks/nodeconfig.yaml <<'NODECONFIG'
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: pytorch-gpu-dev-cluster
    apiServerEndpoint: https://0A1B2C3D4E5F60718293A4B5C6D7E8F9.gr7.us-east-2.eks.amazonaws.com
    certificateAuthority: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCllTQmpaWEowYVdacFkyRjBaU0J2WmlCdWIySnZaSGtzSUdadmNpQmhJR05zZFhOMFpYSWdkR2hoZENCcGN5QnViM1E9Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K
    cidr: 172.20.0.0/16
  kubelet:
    flags:
      - --node-labels=NodeType=gpu,GpuType=h100
NODECONFIG

systemctl enable containerd
nodeadm init -c file:///etc/eks/nodeconfig.yaml
# lost on the T4 nodes once: without it kubelet is dead after a reboot
systemctl enable kubelet

systemctl enable --now nvidia-persistenced
if [[ "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)" == *H100* ]]; then
  systemctl enable --now nvidia-fabricmanager
fi

# Profiling for everyone: Nsight reads the counters
# without being root
mkdir -p /etc/modprobe.d
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf

echo "[$(date -u +%FT%TZ)] user data is done"
