"""The t4 nodes, which boot with the script beside this program."""

import base64
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

import pulumi_aws as aws

# The image loads the driver before the script runs.
PROFILING = """\
#!/bin/bash
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
"""
user_data = MIMEMultipart()
user_data.attach(MIMEText(PROFILING, "cloud-boothook"))
user_data.attach(MIMEText(Path(__file__).with_name("al2023-t4-user-data.sh").read_text(), "x-shellscript"))

nodes = aws.ec2.LaunchTemplate(
    "t4-nodes",
    image_id="ami-0123456789abcdef0",
    instance_type="g4dn.12xlarge",
    user_data=base64.b64encode(user_data.as_bytes()).decode(),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
)
aws.autoscaling.Group(
    "t4-nodes",
    min_size=5,
    max_size=5,
    desired_capacity=5,
    vpc_zone_identifiers=["subnet-0123456789abcdef0"],
    launch_template={"id": nodes.id, "version": "$Latest"},
    tags=[{"key": "nodeworthy/pool", "value": "t4", "propagate_at_launch": True}],
)
