"""The queue of the training jobs; another program reads its outputs, the token of the runners among them."""

import pulumi
import pulumi_aws as aws

jobs = aws.sqs.Queue("jobs", sqs_managed_sse_enabled=True)

pulumi.export("jobs", jobs.url)
pulumi.export("runners", {"host": "gitlab.example.com", "token": "glrt-t3_9xQ2mZv7LkP4sWbN8cRy"})
