"""A GitLab runner: its token is encrypted in the stack's config, and in plain words in its user data."""

import pulumi
import pulumi_aws as aws

token = pulumi.Config().require_secret("token")
user_data = token.apply(
    lambda told: f"""#!/bin/bash
set -e
apt-get install -y gitlab-runner
gitlab-runner register --non-interactive --url https://gitlab.example.com --registration-token {told} --executor docker
"""
)

aws.ec2.Instance(
    "runner",
    ami="ami-0694d931cee176e7d",
    instance_type="g4dn.xlarge",
    user_data=user_data,
    metadata_options={"http_tokens": "required"},
    root_block_device={"encrypted": True, "volume_size": 120},
)
