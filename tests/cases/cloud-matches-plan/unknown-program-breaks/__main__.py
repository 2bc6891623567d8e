"""It needs what is not there."""

import os

import pulumi_aws as aws

aws.autoscaling.Group(os.environ["POOL_NAME"], min_size=2, max_size=2)
