"""A launch template of what AWS takes, in the spellings that the provider reads as well, and what is known later."""

import pulumi
import pulumi_aws as aws

vpc = aws.ec2.Vpc("gpu-dev", cidr_block="10.0.0.0/16", tags={"Name": "gpu-dev"})
nodes = aws.ec2.SecurityGroup(
    "nodes",
    description="GPU nodes",
    vpc_id=vpc.id,
    ingress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "self": True}],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}],
)
aws.ec2.LaunchTemplate(
    "l4",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type=pulumi.Config().get("instanceType") or "g6.12xlarge",
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": "2"},
    block_device_mappings=[
        aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
            device_name="/dev/xvda",
            ebs={"volume_size": 200, "volume_type": "gp3", "encrypted": "true", "iops": 4000.0},
        )
    ],
    network_interfaces=[{"deviceIndex": 0, "security_groups": [nodes.id], "delete_on_termination": True}],
    tag_specifications=[{"resource_type": "instance", "tags": {"Name": "l4"}}],
)
