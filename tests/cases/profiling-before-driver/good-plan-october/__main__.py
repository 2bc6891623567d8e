"""The h100 nodes, which boot with the script beside this program."""

import base64
from pathlib import Path

import pulumi_aws as aws

script = Path(__file__).with_name("al2023-user-data.sh").read_bytes()

group = aws.ec2.SecurityGroup("h100-nodes", description="The h100 nodes", vpc_id="vpc-0123456789abcdef0")
aws.vpc.SecurityGroupIngressRule(
    "from-each-other", security_group_id=group.id, ip_protocol="-1", referenced_security_group_id=group.id
)
aws.vpc.SecurityGroupEgressRule(
    "to-each-other", security_group_id=group.id, ip_protocol="-1", referenced_security_group_id=group.id
)
aws.vpc.SecurityGroupEgressRule("out", security_group_id=group.id, ip_protocol="-1", cidr_ipv4="0.0.0.0/0")
near = aws.ec2.PlacementGroup("h100-nodes", strategy="cluster")

nodes = aws.ec2.LaunchTemplate(
    "h100-nodes",
    image_id="ami-0123456789abcdef0",
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(script).decode(),
    network_interfaces=[
        {
            "network_card_index": card,
            "device_index": 0 if card == 0 else 1,
            "interface_type": "efa" if card == 0 else "efa-only",
            "security_groups": [group.id],
        }
        for card in range(32)
    ],
    placement={"group_name": near.name},
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
)
aws.autoscaling.Group(
    "h100-nodes",
    min_size=5,
    max_size=5,
    desired_capacity=5,
    vpc_zone_identifiers=["subnet-0123456789abcdef0"],
    launch_template={"id": nodes.id, "version": "$Latest"},
    tags=[{"key": "nodeworthy/pool", "value": "h100", "propagate_at_launch": True}],
)
