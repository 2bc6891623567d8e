"""Nodes that join with the name of the cluster of their group; no fleet is declared."""

import base64

import pulumi
import pulumi_aws as aws

NODE_CONFIG = """\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: training
    apiServerEndpoint: {endpoint}
    certificateAuthority: {authority}
    cidr: 172.20.0.0/16
"""

cluster = aws.eks.Cluster(
    "training",
    name="training",
    role_arn="arn:aws:iam::111122223333:role/eks-cluster",
    vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6071"]},
)
user_data = pulumi.Output.all(cluster.endpoint, cluster.certificate_authority.data).apply(
    lambda given: base64.b64encode(NODE_CONFIG.format(endpoint=given[0], authority=given[1]).encode()).decode()
)
template = aws.ec2.LaunchTemplate(
    "h100", image_id="ami-0123456789abcdef0", instance_type="p5.48xlarge", user_data=user_data
)
aws.eks.NodeGroup(
    "h100",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/nodes",
    subnet_ids=["subnet-0a1b2c3d"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
    launch_template={"id": template.id, "version": template.latest_version.apply(str)},
)
aws.autoscaling.Group(
    "spare",
    min_size=1,
    max_size=1,
    vpc_zone_identifiers=["subnet-0a1b2c3d"],
    launch_template={"id": template.id, "version": "$Latest"},
)
