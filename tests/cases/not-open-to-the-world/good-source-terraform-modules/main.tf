module "sg" {
  source = "terraform-aws-modules/security-group/aws"
  version = "~> 5.0"
  name = "gpu"
  vpc_id = "vpc-1"
  ingress_cidr_blocks = ["10.0.0.0/8"]
  ingress_rules = ["ssh-tcp", "https-443-tcp"]
  ingress_with_self = [{ rule = "all-all" }]
  egress_rules = ["all-all"]
}
module "ec2" {
  source = "terraform-aws-modules/ec2-instance/aws"
  version = "~> 6.0"
  name = "gpu"
  instance_type = "g5.xlarge"
  ami = "ami-0123456789abcdef0"
  create_security_group = false
  vpc_security_group_ids = [module.sg.security_group_id]
  root_block_device = { encrypted = true, size = 200 }
}
