"""Training nodes of whatever is to be had."""

import pulumi_aws as aws

template = aws.ec2.LaunchTemplate("train", image_id="ami-0123456789abcdef0", instance_type="p4d.24xlarge")
aws.autoscaling.Group(
    "train",
    min_size=0,
    max_size=4,
    vpc_zone_identifiers=["subnet-0a1b2c3d4e5f60718"],
    mixed_instances_policy={
        "launch_template": {
            "launch_template_specification": {"launch_template_id": template.id},
            "overrides": [{"instance_type": "p4d.24xlarge"}, {"instance_type": "p4de.24xlarge"}],
        }
    },
)
