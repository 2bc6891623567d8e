"""The T4 nodes; the hook still names the group that they replaced."""

import pulumi_aws as aws

template = aws.ec2.LaunchTemplate(
    "t4", image_id="ami-0123456789abcdef0", instance_type="g4dn.12xlarge", tags={"nodeworthy/pool": "t4"}
)
aws.autoscaling.Group(
    "t4",
    name="t4-blue",
    min_size=4,
    max_size=4,
    vpc_zone_identifiers=["subnet-0a1b2c3d4e5f60718"],
    launch_template={"id": template.id, "version": "$Latest"},
    instance_refresh={"strategy": "Rolling", "preferences": {"min_healthy_percentage": 75}},
)
aws.autoscaling.LifecycleHook(
    "drain",
    autoscaling_group_name="t4-green",
    lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
    notification_target_arn="arn:aws:sqs:us-east-2:111122223333:drain",
    role_arn="arn:aws:iam::111122223333:role/drain",
)
