#!/bin/bash
# User data of the T4 nodes (g4dn.12xlarge, Amazon Linux 2023)
set -euo pipefail
exec > >(tee /var/log/user-data.log | logger -t user-data) 2>&1

# nodeadm is called below, when everything it needs is there
systemctl stop nodeadm-run nodeadm-config
systemctl disable nodeadm-run.service nodeadm-config.service

dnf install -y jq nfs-utils amazon-efs-utils

TOKEN=$(curl -sf -X PUT http://169.254.169.254/latest/api/token -H "X-aws-ec2-metadata-token-ttl-seconds: 21600")
ZONE=$(curl -sf -H "X-aws-ec2-metadata-token: ${TOKEN}" http://169.254.169.254/latest/meta-data/placement/availability-zone)

mkdir -p /etc/eks
cat > /etc/eks/nodeadm-config.yaml <<EOF2
---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: pytorch-gpu-dev-cluster
    apiServerEndpoint: https://0A1B2C3D4E5F60718293A4B5C6D7E8F9.gr7.us-east-2.eks.amazonaws.com
    certificateAuthority: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCllTQmpaWEowYVdacFkyRjBaU0J2WmlCdWIySnZaSGtzSUdadmNpQmhJR05zZFhOMFpYSWdkR2hoZENCcGN5QnViM1E9Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K
    cidr: 172.20.0.0/16
  kubelet:
    config:
      clusterDNS: [172.20.0.10]
    flags:
      - --node-labels=NodeType=gpu,GpuType=t4,zone=${ZONE}
EOF2

systemctl enable --now containerd
/usr/bin/nodeadm init --config-source file:///etc/eks/nodeadm-config.yaml
systemctl start kubelet

for attempt in $(seq 1 30); do
  systemctl is-active --quiet kubelet && break
  echo "kubelet is not up yet (${attempt})"
  sleep 2
done
echo "joined"
