"""A GitLab runner that fetches its token where it is kept; the password of GitLab's admin stands in the stack's file."""

import pulumi
import pulumi_aws as aws

config = pulumi.Config()
password = aws.ssm.Parameter("gitlab-admin", type="SecureString", value=config.require_secret("adminPassword"))

aws.ec2.Instance(
    "runner",
    ami="ami-0694d931cee176e7d",
    instance_type=config.require("instanceType"),
    metadata_options={"http_tokens": "required"},
    root_block_device={"encrypted": True, "volume_size": 120},
    user_data="""#!/bin/bash
set -euo pipefail
apt-get install -y gitlab-runner
gitlab-runner register --non-interactive --url https://gitlab.example.com --token-file /run/runner-token
""",
)
