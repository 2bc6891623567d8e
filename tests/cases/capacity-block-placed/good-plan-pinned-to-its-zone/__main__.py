"""Two H200 nodes in the block of zone c."""

import pulumi_aws as aws

vpc = aws.ec2.Vpc("train", cidr_block="10.20.0.0/16")
near = {
    zone: aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.20.{number}.0/24", availability_zone=f"us-east-2{zone}")
    for number, zone in enumerate("abc")
}

template = aws.ec2.LaunchTemplate(
    "h200",
    image_id="ami-0123456789abcdef0",
    instance_type="p5en.48xlarge",
    instance_market_options={"market_type": "capacity-block"},
    capacity_reservation_specification={
        "capacity_reservation_target": {"capacity_reservation_id": "cr-0f9e8d7c6b5a41322"}
    },
    placement={"availability_zone": "us-east-2c"},
    tags={"nodeworthy/pool": "h200"},
)
aws.autoscaling.Group(
    "h200",
    min_size=2,
    max_size=2,
    vpc_zone_identifiers=[near["c"].id],
    launch_template={"id": template.id, "version": "$Latest"},
)
