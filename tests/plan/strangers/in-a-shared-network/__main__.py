import pulumi
import pulumi_aws as aws

cfg = pulumi.Config()
vpc = aws.ec2.Vpc.get("shared", cfg.require("vpcId"))
bastion_sg = aws.ec2.SecurityGroup.get("bastion", cfg.require("sgId"))
subnet = aws.ec2.Subnet.get("private-a", cfg.require("subnetId"))

sg = aws.ec2.SecurityGroup("gpu-box", vpc_id=vpc.id, revoke_rules_on_delete=True)
aws.vpc.SecurityGroupIngressRule(
    "ssh-from-bastion",
    security_group_id=sg.id,
    ip_protocol="tcp",
    from_port=22,
    to_port=22,
    referenced_security_group_id=bastion_sg.id,
)
aws.vpc.SecurityGroupIngressRule(
    "jupyter", security_group_id=sg.id, ip_protocol="tcp", from_port=8888, to_port=8888, cidr_ipv4=vpc.cidr_block
)
aws.vpc.SecurityGroupEgressRule("out", security_group_id=sg.id, ip_protocol="-1", cidr_ipv4="0.0.0.0/0")
# the bastion may reach us
aws.ec2.SecurityGroupRule(
    "bastion-out",
    type="egress",
    security_group_id=bastion_sg.id,
    protocol="tcp",
    from_port=22,
    to_port=22,
    source_security_group_id=sg.id,
)
box = aws.ec2.Instance(
    "gpu-box",
    ami="ami-0fb653ca2d3203ac1",
    instance_type="g5.xlarge",
    subnet_id=subnet.id,
    vpc_security_group_ids=[sg.id, bastion_sg.id],
    metadata_options={"http_tokens": "required"},
    root_block_device={"volume_size": 200, "encrypted": True},
    user_data="""#!/bin/bash
apt-get update && apt-get install -y nvidia-driver-550-server
reboot
""",
)
pulumi.export("ip", box.private_ip)
