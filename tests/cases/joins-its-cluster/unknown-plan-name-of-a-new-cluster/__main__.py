"""A cluster whose name Pulumi makes up, and the template of its CPU nodes."""

import base64

import pulumi
import pulumi_aws as aws

NODE_CONFIG = """\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: {name}
    apiServerEndpoint: {endpoint}
    certificateAuthority: {authority}
    cidr: 172.20.0.0/16
"""


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


cluster = aws.eks.Cluster(
    "gpu-dev",
    role_arn="arn:aws:iam::123456789012:role/eks-cluster",
    vpc_config=aws.eks.ClusterVpcConfigArgs(subnet_ids=["subnet-0a1b2c3d", "subnet-4e5f6071"]),
)

user_data = pulumi.Output.all(cluster.endpoint, cluster.certificate_authority.data, cluster.name).apply(
    lambda given: encoded(NODE_CONFIG.format(name=given[2], endpoint=given[0], authority=given[1]))
)

aws.ec2.LaunchTemplate(
    "cpu",
    image_id="ami-0123456789abcdef0",
    instance_type="c7i.4xlarge",
    user_data=user_data,
    vpc_security_group_ids=[cluster.vpc_config.cluster_security_group_id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 100, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "cpu"},
)
