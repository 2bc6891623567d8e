#!/bin/bash
# User data of the AL2023 GPU dev servers (T4 and L4).
set -o xtrace
set -e

exec > >(tee -a /var/log/user-data.log) 2>&1
echo "=== user data started at $(date) ==="

CLUSTER_NAME="${cluster_name}"
CLUSTER_ENDPOINT="${cluster_endpoint}"
CLUSTER_CA="${cluster_ca}"
REGION="${region}"

# We call nodeadm ourselves, after the driver
systemctl stop nodeadm-config.service nodeadm-run.service || true
systemctl disable nodeadm-config.service nodeadm-run.service || true

echo "=== profiling ==="
cat > /etc/modprobe.d/nvprof.conf <<EOF
options nvidia NVreg_RestrictProfilingToAdminUsers=0
EOF
cat > /etc/modprobe.d/blacklist-nouveau.conf <<EOF
blacklist nouveau
options nouveau modeset=0
EOF

echo "=== NVIDIA driver ==="
dnf install -y "kernel-devel-$(uname -r)" kernel-headers gcc make dkms
dnf config-manager --add-repo https://developer.download.nvidia.com/compute/cuda/repos/amzn2023/x86_64/cuda-amzn2023.repo
dnf clean expire-cache
dnf module install -y nvidia-driver:latest-dkms
nvidia-smi

echo "=== container toolkit ==="
curl -fsSL https://nvidia.github.io/libnvidia-container/stable/rpm/nvidia-container-toolkit.repo \
  -o /etc/yum.repos.d/nvidia-container-toolkit.repo
dnf install -y nvidia-container-toolkit docker
nvidia-ctk runtime configure --runtime=docker
systemctl enable docker
systemctl start docker
usermod -aG docker ec2-user

echo "=== EFA ==="
cd /tmp
curl -fsSO https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz
tar -xf aws-efa-installer-latest.tar.gz
(cd aws-efa-installer && ./efa_installer.sh -y -g)

echo "=== join ==="
mkdir -p /etc/eks
cat > /etc/eks/nodeconfig.yaml <<EOF
---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: $CLUSTER_NAME
    apiServerEndpoint: $CLUSTER_ENDPOINT
    certificateAuthority: $CLUSTER_CA
    cidr: 172.20.0.0/16
  kubelet:
    flags:
      - --node-labels=GpuType=t4,NodeType=gpu
      - --register-with-taints=nvidia.com/gpu=true:NoSchedule
EOF

/usr/bin/nodeadm init -c file:///etc/eks/nodeconfig.yaml

nvidia-ctk runtime configure --runtime=containerd --set-as-default
systemctl restart containerd
systemctl restart kubelet

systemctl enable containerd

for i in $(seq 1 30); do
  if systemctl is-active --quiet kubelet; then
    echo "kubelet runs after $i tries"
    break
  fi
  sleep 10
done

echo "=== user data ended at $(date) ==="
