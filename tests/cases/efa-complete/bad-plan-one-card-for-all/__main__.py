"""The A100 nodes, with a public address to look at them."""

import pulumi_aws as aws

vpc = aws.ec2.Vpc("gpu-dev", cidr_block="10.0.0.0/16", enable_dns_hostnames=True)
subnet = aws.ec2.Subnet("nodes", vpc_id=vpc.id, cidr_block="10.0.0.0/18", availability_zone="us-east-2a")
beside = aws.ec2.Subnet("beside", vpc_id=vpc.id, cidr_block="10.0.64.0/20", availability_zone="us-east-2b")
cluster = aws.eks.Cluster(
    "gpu-dev",
    name="gpu-dev",
    version="1.34",
    role_arn="arn:aws:iam::111122223333:role/gpu-dev-control-plane",
    vpc_config={"subnet_ids": [subnet.id, beside.id]},
)
near = aws.ec2.PlacementGroup("p4d", strategy="cluster")
template = aws.ec2.LaunchTemplate(
    "p4d",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="p4d.24xlarge",
    network_interfaces=[
        {
            "network_card_index": 0,
            "device_index": card,
            "interface_type": "efa" if card == 0 else "efa-only",
            "security_groups": [cluster.vpc_config.cluster_security_group_id],
            "associate_public_ip_address": "true",
            "delete_on_termination": "true",
        }
        for card in range(4)
    ],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    placement={"group_name": near.name},
    tags={"nodeworthy/pool": "p4d"},
)
aws.autoscaling.Group(
    "p4d",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=[subnet.id],
    launch_template={"id": template.id, "version": "$Latest"},
)
