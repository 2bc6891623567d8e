"""The template of the CPU nodes, as it was on AL2."""

import base64

import pulumi_aws as aws


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


USER_DATA = """\
#!/bin/bash
set -euo pipefail
/etc/eks/bootstrap.sh gpu-dev
"""

aws.ec2.LaunchTemplate(
    "cpu",
    image_id="ami-0123456789abcdef0",
    instance_type="c7i.4xlarge",
    user_data=encoded(USER_DATA),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 100, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "cpu"},
)
