"""Groups whose numbers were typed for three environments, and read from the wrong one."""

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


def template(name, **given):
    return aws.ec2.LaunchTemplate(
        name,
        vpc_security_group_ids=[cluster.vpc_config.cluster_security_group_id],
        metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
        block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
        **given,
    )


def group(name, instance_type, **sizes):
    made = template(name, instance_type=instance_type, image_id="ami-0123456789abcdef0")
    aws.autoscaling.Group(
        name,
        vpc_zone_identifiers=[subnet.id],
        launch_template={"id": made.id, "version": "$Latest"},
        **sizes,
    )


group("web", "c7i.xlarge", min_size=-1, max_size=4)
group("queue", "c7i.4xlarge", min_size=1, max_size=4, desired_capacity=6)
group("build", "c7i.8xlarge", min_size=2, max_size=4, desired_capacity=1)
group("t4", "g4dn.12xlarge", min_size=4, max_size=2, desired_capacity=4)
system = template("system")
aws.eks.NodeGroup(
    "system",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/gpu-dev-nodes",
    instance_types=["m7i.large"],
    subnet_ids=[subnet.id],
    launch_template={"id": system.id, "version": system.latest_version.apply(str)},
    scaling_config={"min_size": 2, "max_size": 3, "desired_size": 4},
)
