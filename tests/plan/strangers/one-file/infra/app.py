import base64
import textwrap
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s


@dataclass
class Settings:
    cluster: str
    nodes: int

    @staticmethod
    def load():
        c = pulumi.Config()
        return Settings(c.require("clusterName"), c.require_int("nodes"))


s = Settings.load()
cluster = aws.eks.Cluster.get("cluster", s.cluster)
ami = aws.ssm.get_parameter_output(
    name="/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
)
subnets = aws.ec2.get_subnets_output(filters=[{"name": "tag:kubernetes.io/cluster/" + s.cluster, "values": ["shared"]}])
cfg = pulumi.Output.all(cluster.endpoint, cluster.certificate_authority.data).apply(
    lambda a: textwrap.dedent(f"""\
    MIME-Version: 1.0
    Content-Type: multipart/mixed; boundary="BOUNDARY"

    --BOUNDARY
    Content-Type: application/node.eks.aws

    ---
    apiVersion: node.eks.aws/v1alpha1
    kind: NodeConfig
    spec:
      cluster:
        name: {s.cluster}
        apiServerEndpoint: {a[0]}
        certificateAuthority: {a[1]}
        cidr: 10.100.0.0/16

    --BOUNDARY--
    """)
)
lt = aws.ec2.LaunchTemplate(
    "l4",
    image_id=ami.value,
    instance_type="g6.2xlarge",
    user_data=cfg.apply(lambda t: base64.b64encode(t.encode()).decode()),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    ebs_optimized="true",
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 100, "encrypted": "true"}}],
)
aws.autoscaling.Group(
    "l4",
    min_size=s.nodes,
    max_size=s.nodes,
    desired_capacity=s.nodes,
    vpc_zone_identifiers=subnets.ids,
    launch_template={"id": lt.id, "version": "$Latest"},
    tags=[{"key": f"kubernetes.io/cluster/{s.cluster}", "value": "owned", "propagate_at_launch": True}],
)
fs = aws.efs.FileSystem("models", encrypted=True)
kube = k8s.Provider("kube", kubeconfig=cluster.endpoint.apply(lambda e: "{}"))
k8s.yaml.ConfigGroup(
    "ns", yaml=["apiVersion: v1\nkind: Namespace\nmetadata: {name: llm}\n"], opts=pulumi.ResourceOptions(provider=kube)
)
k8s.helm.v3.Release(
    "nvdp",
    chart="nvidia-device-plugin",
    version="0.17.0",
    namespace="kube-system",
    repository_opts={"repo": "https://nvidia.github.io/k8s-device-plugin"},
    opts=pulumi.ResourceOptions(provider=kube),
)
