"""The queue of the training jobs; what another program needs as a secret leaves this one as a secret."""

import pulumi
import pulumi_aws as aws

jobs = aws.sqs.Queue("jobs", sqs_managed_sse_enabled=True)
token = pulumi.Output.secret("glrt-t3_9xQ2mZv7LkP4sWbN8cRy")

pulumi.export("jobs", jobs.url)
pulumi.export("runnerToken", token)
pulumi.export("runnerTokenSecretArn", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:runner-a1b2c3")

aws.ec2.Instance(
    "runner",
    ami="ami-0694d931cee176e7d",
    instance_type="g4dn.xlarge",
    metadata_options={"http_tokens": "required"},
    root_block_device={"encrypted": True, "volume_size": 120},
    user_data="""#!/bin/bash
set -euo pipefail
apt-get install -y gitlab-runner
gitlab-runner register --non-interactive --url https://gitlab.example.com --token-file /run/runner-token
""",
)
