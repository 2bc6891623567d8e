"""The pools of the serving cluster, of the types that the fleet gives them; EKS starts the CPU nodes by itself."""

import pulumi
import pulumi_aws as aws

FLEET = pulumi.Config("nodeworthy").require_object("fleet")["pools"]
ZONES = ["subnet-0a1b2c3d4e5f60718", "subnet-0b2c3d4e5f6071829"]
template = aws.ec2.LaunchTemplate("l4", image_id="ami-0123456789abcdef0", instance_type=FLEET["l4"]["instanceType"])
aws.autoscaling.Group(
    "l4",
    min_size=3,
    max_size=3,
    vpc_zone_identifiers=ZONES[:1],
    launch_template={"id": template.id, "version": "$Latest"},
)
aws.eks.NodeGroup(
    "cpu",
    cluster_name="serving",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=ZONES,
    instance_types=["m7i.2xlarge"],
    scaling_config={"min_size": 1, "max_size": 4, "desired_size": 2},
)
