"""The pools of the serving cluster. The L4 machines were taken from what the last cluster had."""

import pulumi_aws as aws

ZONES = ["subnet-0a1b2c3d4e5f60718", "subnet-0b2c3d4e5f6071829"]
template = aws.ec2.LaunchTemplate("l4", image_id="ami-0123456789abcdef0", instance_type="g5.12xlarge")
aws.autoscaling.Group(
    "l4",
    min_size=3,
    max_size=3,
    vpc_zone_identifiers=ZONES[:1],
    launch_template={"id": template.id, "version": "$Latest"},
    tags=[{"key": "nodeworthy/pool", "value": "l4", "propagate_at_launch": True}],
)
aws.eks.NodeGroup(
    "cpu",
    cluster_name="serving",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=ZONES,
    instance_types=["m7i.2xlarge", "m6i.2xlarge"],
    scaling_config={"min_size": 1, "max_size": 4, "desired_size": 2},
    labels={"nodeworthy/pool": "cpu"},
)
