"""The T4 nodes of the dev cluster, open to whom the fleet names."""

import pulumi
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

nodes = aws.ec2.SecurityGroup("nodes", description="what is reached from outside", vpc_id=vpc.id)
fleet = pulumi.Config("nodeworthy").require_object("fleet")
for number, network in enumerate(fleet["network"]["nodePortsFrom"]):
    aws.vpc.SecurityGroupIngressRule(
        f"node-ports-{number}",
        security_group_id=nodes.id,
        ip_protocol="tcp",
        from_port=30000,
        to_port=32767,
        cidr_ipv4=network,
        description="NodePorts",
    )

template = aws.ec2.LaunchTemplate(
    "t4",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="g4dn.12xlarge",
    vpc_security_group_ids=[nodes.id, cluster.vpc_config.cluster_security_group_id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "t4"},
)
