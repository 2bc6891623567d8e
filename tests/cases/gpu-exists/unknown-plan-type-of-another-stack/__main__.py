"""The inference nodes; which machines they are is an output of the stack that buys them."""

import pulumi
import pulumi_aws as aws

bought = pulumi.StackReference("acme/capacity/prod")
aws.ec2.LaunchTemplate("nodes", image_id="ami-0123456789abcdef0", instance_type=bought.get_output("kind"))
