from pathlib import Path

import pulumi
import pulumi_aws as aws
from jinja2 import Environment, FileSystemLoader

env = Environment(loader=FileSystemLoader(Path(__file__).parent / "templates"))
agents = pulumi.Config().get_int("agents") or 1


@pulumi.type_token("random:index/randomPassword:RandomPassword")
class RandomPassword(pulumi.CustomResource):
    """pulumi_random's, as its SDK makes it."""

    def __init__(self, name, length, special=True):
        super().__init__(
            "random:index/randomPassword:RandomPassword",
            name,
            {"length": length, "special": special, "result": None},
            pulumi.ResourceOptions(additional_secret_outputs=["result"]),
        )

    @property
    @pulumi.getter
    def result(self) -> pulumi.Output[str]:
        return pulumi.get(self, "result")


token = RandomPassword("token", length=48, special=False)
vpc = aws.ec2.Vpc("vpc", cidr_block="10.9.0.0/16")
subnet = aws.ec2.Subnet("a", vpc_id=vpc.id, cidr_block="10.9.1.0/24", availability_zone="us-east-1a")
sg = aws.ec2.SecurityGroup(
    "k3s",
    vpc_id=vpc.id,
    ingress=[
        {"protocol": "-1", "from_port": 0, "to_port": 0, "self": True},
        {"protocol": "tcp", "from_port": 6443, "to_port": 6443, "cidr_blocks": ["203.0.113.7/32"]},
    ],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}],
)
common = dict(
    ami="ami-0e2c8caa4b6378d8c",
    subnet_id=subnet.id,
    vpc_security_group_ids=[sg.id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    root_block_device={"encrypted": True, "volume_size": 100},
)
server = aws.ec2.Instance(
    "server",
    instance_type="m6i.large",
    **common,
    user_data=token.result.apply(lambda t: env.get_template("server.sh.j2").render(token=t)),
)
for i in range(agents):
    aws.ec2.Instance(
        f"agent-{i}",
        instance_type="g4dn.xlarge",
        **common,
        user_data=pulumi.Output.all(token.result, server.private_ip).apply(
            lambda a: env.get_template("agent.sh.j2").render(token=a[0], server=a[1])
        ),
    )
pulumi.export("kubeconfig", server.public_ip.apply(lambda ip: f"ssh ubuntu@{ip} sudo cat /etc/rancher/k3s/k3s.yaml"))
