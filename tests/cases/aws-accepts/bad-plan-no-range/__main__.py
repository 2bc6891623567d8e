"""The nodes' security group; who may log in comes from a list that somebody typed."""

import pulumi_aws as aws

ADMINS = ["10.8.0.0/16", "192.168.1/24", "10.9.0.7"]

vpc = aws.ec2.Vpc("gpu", cidr_block="10.0.0.0/16")
nodes = aws.ec2.SecurityGroup(
    "nodes",
    vpc_id=vpc.id,
    ingress=[{"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": ADMINS}],
)
aws.vpc.SecurityGroupIngressRule(
    "vpn", security_group_id=nodes.id, ip_protocol="tcp", from_port=22, to_port=22, cidr_ipv4="10.12.0.0/33"
)
