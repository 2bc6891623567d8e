"""The T4 nodes; how fast EKS renews them is another stack's business."""

import pulumi
import pulumi_aws as aws

aws.eks.NodeGroup(
    "t4",
    cluster_name="train",
    node_role_arn="arn:aws:iam::111122223333:role/nodes",
    subnet_ids=["subnet-0a1b2c3d4e5f60718"],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g4dn.12xlarge"],
    scaling_config={"min_size": 4, "max_size": 4, "desired_size": 4},
    update_config={"max_unavailable": pulumi.StackReference("acme/fleet/prod").get_output("pace")},
    labels={"nodeworthy/pool": "t4"},
)
