# Groups beside a cluster, of which nothing here says what they guard.
resource "aws_eks_cluster" "train" {
  name     = "train"
  role_arn = "arn:aws:iam::111111111111:role/cluster"
  vpc_config {
    subnet_ids = ["subnet-0aaaaaaaaaaaaaaaa", "subnet-0bbbbbbbbbbbbbbbb"]
  }
}

module "workers" {
  source              = "terraform-aws-modules/security-group/aws"
  version             = "5.3.0"
  name                = "workers"
  vpc_id              = "vpc-0aaaaaaaaaaaaaaaa"
  ingress_rules       = ["ssh-tcp"]
  ingress_cidr_blocks = ["0.0.0.0/0"]
}

resource "aws_security_group" "operators" {
  name = "bastion"
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
