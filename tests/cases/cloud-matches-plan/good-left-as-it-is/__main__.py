"""The T4 nodes of the dev cluster."""

import pulumi
import pulumi_aws as aws

template = aws.ec2.LaunchTemplate(
    "gpu-dev-t4",
    image_id="ami-0a10b20c30d40e50f",
    instance_type="g4dn.12xlarge",
    vpc_security_group_ids=["sg-0c1d2e3f405162738"],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[
        {"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "volume_type": "gp3", "encrypted": "true"}}
    ],
)
aws.autoscaling.Group(
    "gpu-dev-t4",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=["subnet-0f1e2d3c4b5a69788"],
    launch_template={"id": template.id, "version": "$Latest"},
    tags=[{"key": "kubernetes.io/cluster/gpu-dev", "value": "owned", "propagate_at_launch": True}],
    opts=pulumi.ResourceOptions(ignore_changes=["maxSize"]),
)
