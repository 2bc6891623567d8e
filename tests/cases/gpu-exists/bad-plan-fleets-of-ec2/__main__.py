"""A burst of machines for one night."""

import pulumi_aws as aws

template = aws.ec2.LaunchTemplate("burst", image_id="ami-0123456789abcdef0")
aws.ec2.Fleet(
    "burst",
    launch_template_configs=[
        {
            "launch_template_specification": {"launch_template_id": template.id, "version": "$Latest"},
            "overrides": [{"instance_type": "g6e.12xlarge"}, {"instance_type": "g6e.36xlarge"}],
        }
    ],
    target_capacity_specification={"default_target_capacity_type": "on-demand", "total_target_capacity": 4},
)
aws.ec2.SpotFleetRequest(
    "cheap",
    iam_fleet_role="arn:aws:iam::111122223333:role/fleet",
    target_capacity=4,
    launch_specifications=[{"ami": "ami-0123456789abcdef0", "instance_type": "g5.10xlarge"}],
)
