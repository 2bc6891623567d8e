"""One of every shape that inputs can have: the two engines must agree on each."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.helm.v3 import Release

config = pulumi.Config()


class Layer(pulumi.ComponentResource):
    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("shapes:layer:Layer", name, None, opts)
        within = pulumi.ResourceOptions(parent=self)
        self.vpc = aws.ec2.Vpc(f"{name}-vpc", cidr_block="10.0.0.0/16", enable_dns_support=True, opts=within)
        # A child of a child, and an input that is an output.
        aws.ec2.Subnet(
            f"{name}-subnet",
            vpc_id=self.vpc.id,
            cidr_block="10.0.1.0/24",
            tags={"Name": f"{name}-subnet", "of": pulumi.Output.concat("vpc ", self.vpc.arn)},
            opts=pulumi.ResourceOptions(parent=self.vpc),
        )
        self.register_outputs({"vpc": self.vpc.id})


outer = Layer("outer")
Layer("inner", pulumi.ResourceOptions(parent=outer))

word: pulumi.Input[str] = config.get_secret("word") or "none"
bucket = aws.s3.Bucket("bucket", tags={"hidden": pulumi.Output.secret("hush"), "configured": word})
hidden: pulumi.Output[str] = pulumi.Output.secret(bucket.arn)
aws.s3.BucketObjectv2("text", bucket=bucket.bucket, content=hidden)
aws.s3.BucketObjectv2("asset", bucket=bucket.bucket, source=pulumi.FileAsset("Pulumi.yaml"))

aws.sqs.Queue("queue", delay_seconds=0, max_message_size=2048)
group = aws.rds.SubnetGroup("group", subnet_ids=[outer.vpc.id, "subnet-0"])
provider = kubernetes.Provider("cluster", kubeconfig=outer.vpc.arn.apply(lambda arn: f"config of {arn}"))
kubernetes.core.v1.Namespace("namespace", metadata={"name": "gpu"}, opts=pulumi.ResourceOptions(provider=provider))

# What the test is about may be an output, a secret, or plain.
socket = config.require("socket")
values: dict[str, object] = {
    "toolkit": {
        "enabled": True,
        "env": [
            {"name": "CONTAINERD_CONFIG", "value": config.require("config")},
            {"name": "CONTAINERD_SOCKET", "value": outer.vpc.arn if socket == "(output)" else socket},
            {"name": "TOKEN", "value": pulumi.Output.secret("hush")},
        ],
    },
    "driver": {"enabled": False, "startupProbe": {"initialDelaySeconds": 60}, "kernelModuleConfig": {"name": ""}},
    "nothing": None,
    "empty": {"list": [], "mapping": {}},
    "half": 0.5,
}
Release(
    "gpu-operator",
    chart="gpu-operator",
    version="v26.3.0",
    namespace="gpu-operator",
    values=values,
    opts=pulumi.ResourceOptions(provider=provider, depends_on=[group]),
)
pulumi.export("bucket", bucket.arn)
