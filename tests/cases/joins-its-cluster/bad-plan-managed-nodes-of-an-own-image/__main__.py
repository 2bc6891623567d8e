"""The L4 nodes, a group that EKS manages. Their image was EKS' own once; now it is ours, with a newer driver."""

import base64

import pulumi_aws as aws

USER_DATA = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      maxPods: 58
--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
set -euo pipefail
mkdir -p /var/lib/models
--//--
"""
template = aws.ec2.LaunchTemplate(
    "l4",
    image_id="ami-0f3c1d8a9b2e4f567",
    instance_type="g6.12xlarge",
    user_data=base64.b64encode(USER_DATA.encode()).decode(),
)
aws.eks.NodeGroup(
    "l4",
    cluster_name="serving",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=["subnet-0a1b2c3d4e5f60718"],
    scaling_config={"min_size": 3, "max_size": 3, "desired_size": 3},
    launch_template={"id": template.id, "version": template.latest_version.apply(str)},
    labels={"nodeworthy/pool": "l4"},
)
