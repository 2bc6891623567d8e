"""The T4 nodes: one group, one template."""

import base64

import pulumi_aws as aws

USER_DATA = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==NODE=="

--==NODE==
Content-Type: text/cloud-boothook; charset="us-ascii"

#!/bin/bash
set -euo pipefail
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf

--==NODE==
Content-Type: application/node.eks.aws; charset="us-ascii"

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: gpu-dev
    apiServerEndpoint: https://4A5B6C7D8E9F00112233445566778899.gr7.us-east-2.eks.amazonaws.com
    certificateAuthority: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    cidr: 172.20.0.0/16
  kubelet:
    flags:
      - --node-labels=nodeworthy/pool=t4,gpu.monitoring/profiling-dedicated=true,nvidia.com/gpu.deploy.dcgm-exporter=false,nvidia.com/gpu.deploy.dcgm=false

--==NODE==--
"""

template = aws.ec2.LaunchTemplate(
    "t4",
    image_id="ami-0123456789abcdef0",
    instance_type="g4dn.xlarge",
    user_data=base64.b64encode(USER_DATA.encode()).decode(),
    metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(http_tokens="required", http_put_response_hop_limit=2),
    block_device_mappings=[
        aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
            device_name="/dev/xvda",
            ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(volume_size=200, encrypted="true"),
        )
    ],
    tags={"nodeworthy/pool": "t4"},
)

aws.autoscaling.Group(
    "t4",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=["subnet-0a1b2c3d"],
    launch_template=aws.autoscaling.GroupLaunchTemplateArgs(id=template.id, version=template.latest_version.apply(str)),
    tags=[aws.autoscaling.GroupTagArgs(key="nodeworthy/pool", value="t4", propagate_at_launch=True)],
)
