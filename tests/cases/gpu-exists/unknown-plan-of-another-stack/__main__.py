"""The pools of the serving cluster; which machines they are is an output of the stack that buys them."""

import pulumi
import pulumi_aws as aws

bought = pulumi.StackReference("acme/capacity/prod")
template = aws.ec2.LaunchTemplate(
    "l4", image_id="ami-0123456789abcdef0", instance_type=bought.get_output("l4"), tags={"nodeworthy/pool": "l4"}
)
aws.autoscaling.Group(
    "l4",
    min_size=3,
    max_size=3,
    vpc_zone_identifiers=["subnet-0a1b2c3d4e5f60718"],
    launch_template={"id": template.id, "version": "$Latest"},
)
