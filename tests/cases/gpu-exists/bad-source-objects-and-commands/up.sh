#!/usr/bin/env bash
set -euo pipefail
eksctl create nodegroup --cluster gpu --name gpu --node-type g6.13xlarge --nodes 2
eksctl create nodegroup -f - <<EOF
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: gpu, region: us-east-2}
managedNodeGroups:
  - name: more
    instanceTypes: [g6.12xlarge, g6.14xlarge]
EOF
