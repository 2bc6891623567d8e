"""Two T4 nodes; who may log in is told by the stack of the network."""

import pulumi
import pulumi_aws as aws

network = pulumi.StackReference("platform/network/dev")
vpc = aws.ec2.Vpc("gpu-dev", cidr_block="10.0.0.0/16")
nodes = aws.ec2.SecurityGroup(
    "nodes",
    description="GPU nodes",
    vpc_id=vpc.id,
    ingress=[
        {"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": [network.get_output("officeRange")]},
        {"protocol": "-1", "from_port": 0, "to_port": 0, "self": True},
    ],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}],
)

template = aws.ec2.LaunchTemplate(
    "t4",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="g4dn.12xlarge",
    vpc_security_group_ids=[nodes.id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "t4"},
)
