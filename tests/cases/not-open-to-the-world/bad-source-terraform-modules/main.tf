module "sg" {
  source = "terraform-aws-modules/security-group/aws"
  version = "~> 5.0"
  name = "gpu"
  vpc_id = "vpc-1"
  ingress_cidr_blocks = ["0.0.0.0/0"]
  ingress_rules = ["ssh-tcp"]
  egress_rules = ["all-all"]
}
module "asg" {
  source  = "terraform-aws-modules/autoscaling/aws"
  version = "~> 9.0"
  name = "gpu"
  min_size = 1
  max_size = 1
  desired_capacity = 1
  image_id = "ami-0123456789abcdef0"
  instance_type = "g5.xlarge"
  security_groups = [module.sg.security_group_id]
}
