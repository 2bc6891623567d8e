"""AWS resources, wherever they are declared: a Pulumi program, a root of Terraform, its plan, CloudFormation."""
