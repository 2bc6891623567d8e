"""Two H200 nodes in a subnet that the network team made."""

import pulumi_aws as aws


template = aws.ec2.LaunchTemplate(
    "h200",
    image_id="ami-0123456789abcdef0",
    instance_type="p5en.48xlarge",
    instance_market_options={"market_type": "capacity-block"},
    capacity_reservation_specification={
        "capacity_reservation_target": {"capacity_reservation_id": "cr-0f9e8d7c6b5a41322"}
    },
    tags={"nodeworthy/pool": "h200"},
)
aws.autoscaling.Group(
    "h200",
    min_size=2,
    max_size=2,
    vpc_zone_identifiers=["subnet-0a1b2c3d4e5f60718"],
    launch_template={"id": template.id, "version": "$Latest"},
)
