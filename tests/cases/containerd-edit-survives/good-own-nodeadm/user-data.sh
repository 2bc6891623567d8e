#!/bin/bash
set -euxo pipefail
systemctl disable nodeadm-config.service nodeadm-run.service
cat > /tmp/nodeconfig.yaml <<'YAML'
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: gpu-dev
    apiServerEndpoint: https://4A5B6C7D8E9F00112233445566778899.gr7.us-east-2.eks.amazonaws.com
    certificateAuthority: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmekNDQVNXZ0F3SUJBZ0lVUVF0d2JjcXNmMmNia1UramF2NnprejhMMmcwd0NnWUlLb1pJemowRUF3SXcKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=
    cidr: 172.20.0.0/16
YAML
nodeadm init --config-source file:///tmp/nodeconfig.yaml
systemctl enable kubelet
sed -i 's/discard_unpacked_layers = true/discard_unpacked_layers = false/' /etc/containerd/config.toml
systemctl restart containerd
