import base64

import pulumi
import pulumi_aws as aws

assume = pulumi.Output.json_dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
    }
)
role = aws.iam.Role("nodes", assume_role_policy=assume)
bucket = aws.s3.BucketV2("models")
aws.iam.RolePolicy(
    "read-models",
    role=role.id,
    policy=pulumi.Output.json_dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": [pulumi.Output.format("{0}/*", bucket.arn)]}
            ],
        }
    ),
)
cluster_role = aws.iam.Role("cluster", assume_role_policy=assume)
vpc = aws.ec2.Vpc("vpc", cidr_block="10.1.0.0/16")
subnets = [
    aws.ec2.Subnet(f"s{i}", vpc_id=vpc.id, cidr_block=f"10.1.{i}.0/24", availability_zone=f"us-east-1{z}")
    for i, z in enumerate("ab")
]
cluster = aws.eks.Cluster(
    "mng", role_arn=cluster_role.arn, version="1.32", vpc_config={"subnet_ids": [s.id for s in subnets]}
)
part = pulumi.Output.all(name=cluster.name, bucket=bucket.bucket).apply(
    lambda a: (
        f"""MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==B=="

--==B==
Content-Type: text/cloud-boothook; charset="us-ascii"

#!/bin/bash
mkdir -p /etc/modprobe.d
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvidia-profiling.conf

--==B==
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
set -ex
mkdir -p /opt/models
aws s3 sync s3://{a["bucket"]}/llama /opt/models || echo "no models for {a["name"]}" >&2

--==B==--
"""
    )
)
lt = aws.ec2.LaunchTemplate(
    "gpu",
    user_data=part.apply(lambda s: base64.b64encode(s.encode("ascii")).decode("ascii")),
    block_device_mappings=[
        {"device_name": "/dev/xvda", "ebs": {"volume_size": 300, "volume_type": "gp3", "encrypted": "true"}}
    ],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
)
aws.eks.NodeGroup(
    "gpu",
    cluster_name=cluster.name,
    node_role_arn=role.arn,
    subnet_ids=[s.id for s in subnets],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g5.2xlarge"],
    capacity_type="ON_DEMAND",
    scaling_config={"min_size": 2, "desired_size": 2, "max_size": 2},
    launch_template={"id": lt.id, "version": lt.latest_version.apply(lambda v: str(v))},
    labels={"nvidia.com/gpu": "true"},
    taints=[{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
    update_config={"max_unavailable": 1},
)
pulumi.export("role", pulumi.Output.json_dumps({"arn": role.arn, "name": role.name}))
