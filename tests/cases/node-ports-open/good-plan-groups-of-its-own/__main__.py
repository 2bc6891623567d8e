"""The T4 nodes of the dev cluster: every connection between them and the control plane is written down."""

import pulumi_aws as aws

vpc = aws.ec2.Vpc("gpu-dev", cidr_block="10.0.0.0/16", enable_dns_hostnames=True)
subnet = aws.ec2.Subnet("nodes", vpc_id=vpc.id, cidr_block="10.0.0.0/18", availability_zone="us-east-2a")
beside = aws.ec2.Subnet("beside", vpc_id=vpc.id, cidr_block="10.0.64.0/20", availability_zone="us-east-2b")

control_plane = aws.ec2.SecurityGroup("control-plane", description="the control plane's interfaces", vpc_id=vpc.id)
nodes = aws.ec2.SecurityGroup("nodes", description="GPU nodes", vpc_id=vpc.id)

cluster = aws.eks.Cluster(
    "gpu-dev",
    name="gpu-dev",
    version="1.34",
    role_arn="arn:aws:iam::111122223333:role/gpu-dev-control-plane",
    vpc_config={"subnet_ids": [subnet.id, beside.id], "security_group_ids": [control_plane.id]},
)


def opened(name: str, to: aws.ec2.SecurityGroup, port: int, protocol: str, whom: aws.ec2.SecurityGroup) -> None:
    aws.vpc.SecurityGroupIngressRule(
        name,
        security_group_id=to.id,
        ip_protocol=protocol,
        from_port=port,
        to_port=port,
        referenced_security_group_id=whom.id,
    )


opened("api", control_plane, 443, "tcp", nodes)
opened("kubelet", nodes, 10250, "tcp", control_plane)
opened("dns", nodes, 53, "udp", nodes)
opened("dns-over-tcp", nodes, 53, "tcp", nodes)
for office in ("10.0.0.0/16", "192.168.40.0/22"):
    # In two pieces, as the change that opened the second half left them.
    for first, last in ((30000, 31000), (31001, 32767)):
        aws.vpc.SecurityGroupIngressRule(
            f"node-ports-{first}-{office}",
            security_group_id=nodes.id,
            ip_protocol="tcp",
            from_port=first,
            to_port=last,
            cidr_ipv4=office,
        )
aws.vpc.SecurityGroupEgressRule("out", security_group_id=nodes.id, ip_protocol="-1", cidr_ipv4="0.0.0.0/0")

template = aws.ec2.LaunchTemplate(
    "t4",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="g4dn.12xlarge",
    vpc_security_group_ids=[nodes.id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "t4"},
)
