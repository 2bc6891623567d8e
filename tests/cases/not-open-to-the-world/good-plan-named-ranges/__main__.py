"""The inference nodes, which the office and the VPN may reach, and which answer a ping."""

import pulumi_aws as aws

vpc = aws.ec2.Vpc("inference", cidr_block="10.40.0.0/16")
office = aws.ec2.ManagedPrefixList("office", address_family="IPv4", max_entries=4, entries=[{"cidr": "203.0.113.0/24"}])
vpn = aws.ec2.ManagedPrefixList("vpn", address_family="IPv4", max_entries=4)
aws.ec2.ManagedPrefixListEntry("vpn", prefix_list_id=vpn.id, cidr="198.51.100.0/24")
nodes = aws.ec2.SecurityGroup(
    "nodes",
    vpc_id=vpc.id,
    ingress=[
        {"protocol": "tcp", "from_port": 22, "to_port": 22, "prefix_list_ids": [office.id]},
        {"protocol": "icmp", "from_port": -1, "to_port": -1, "cidr_blocks": ["0.0.0.0/0"]},
    ],
)
aws.vpc.SecurityGroupIngressRule(
    "grafana", security_group_id=nodes.id, ip_protocol="tcp", from_port=30080, to_port=30080, prefix_list_id=vpn.id
)
aws.ec2.LaunchTemplate(
    "l4",
    image_id="ami-0123456789abcdef0",
    instance_type="g6.12xlarge",
    vpc_security_group_ids=[nodes.id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
)
