"""The queue of the training jobs, and the password of a user that mails its reports."""

import pulumi
import pulumi_aws as aws

jobs = aws.sqs.Queue("jobs", sqs_managed_sse_enabled=True)
mailer = aws.iam.AccessKey("mailer", user="mailer")

pulumi.export("jobs", jobs.url)
pulumi.export("smtpPassword", pulumi.Output.unsecret(mailer.ses_smtp_password_v4))
