"""The H100 nodes, wherever there is room for them: as the web nodes always had it."""

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
template = aws.ec2.LaunchTemplate(
    "h100",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="p5.48xlarge",
    network_interfaces=[
        {
            "network_card_index": card,
            "device_index": 0 if card == 0 else 1,
            "interface_type": "efa" if card == 0 else "efa-only",
            "security_groups": [cluster.vpc_config.cluster_security_group_id],
            "delete_on_termination": "true",
        }
        for card in range(32)
    ],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    instance_market_options={"market_type": "capacity-block"},
    capacity_reservation_specification={
        "capacity_reservation_target": {"capacity_reservation_id": "cr-0a1b2c3d4e5f60718"}
    },
    tags={"nodeworthy/pool": "h100"},
)
aws.autoscaling.Group(
    "h100",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=[subnet.id, beside.id],
    launch_template={"id": template.id, "version": "$Latest"},
)
