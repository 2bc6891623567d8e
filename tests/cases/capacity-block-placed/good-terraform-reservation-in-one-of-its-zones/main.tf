variable "zone" {
  type = string
  default = "eu-central-1a"
}

resource "aws_vpc" "this" { cidr_block = "10.0.0.0/16" }

resource "aws_subnet" "nodes" {
  for_each = toset(["eu-central-1a", "eu-central-1b"])

  vpc_id            = aws_vpc.this.id
  cidr_block        = cidrsubnet("10.0.0.0/16", 4, index(["eu-central-1a", "eu-central-1b"], each.key))
  availability_zone = each.key
}

resource "aws_ec2_capacity_reservation" "training" {
  instance_type           = "p4d.24xlarge"
  instance_platform       = "Linux/UNIX"
  availability_zone       = var.zone
  instance_count          = 4
  instance_match_criteria = "targeted"
}

resource "aws_launch_template" "training" {
  instance_type = "p4d.24xlarge"

  capacity_reservation_specification {
    capacity_reservation_target {
      capacity_reservation_id = aws_ec2_capacity_reservation.training.id
    }
  }
}

resource "aws_eks_node_group" "training" {
  cluster_name  = "training"
  node_role_arn = "arn:aws:iam::111122223333:role/nodes"
  subnet_ids    = [for each in aws_subnet.nodes : each.id]
  ami_type      = "AL2023_x86_64_NVIDIA"

  launch_template {
    id      = aws_launch_template.training.id
    version = aws_launch_template.training.latest_version
  }
  scaling_config {
    min_size     = 4
    max_size     = 4
    desired_size = 4
  }
}
