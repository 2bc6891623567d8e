# Groups that EKS refuses for a word or a number. Nobody says how many `waiting` is to have: the module says one.
module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.0"

  cluster_name    = "train"
  cluster_version = "1.33"
  eks_managed_node_groups = {
    misspelt = { ami_type = "AL2023_x86_64_GPU", instance_types = ["g5.2xlarge"], min_size = 2, max_size = 2, desired_size = 2 }
    image    = { ami_type = "ami-0aaaaaaaaaaaaaaaa", instance_types = ["g5.2xlarge"], min_size = 2, max_size = 2, desired_size = 2 }
    paid     = { ami_type = "AL2023_x86_64_NVIDIA", capacity_type = "RESERVED", instance_types = ["g5.2xlarge"], min_size = 2, max_size = 2, desired_size = 2 }
    turned   = { ami_type = "AL2023_x86_64_NVIDIA", instance_types = ["g5.2xlarge"], min_size = 4, max_size = 2, desired_size = 2 }
    many     = { ami_type = "AL2023_x86_64_NVIDIA", instance_types = ["g5.2xlarge"], min_size = 1, max_size = 2, desired_size = 3 }
    waiting  = { ami_type = "AL2023_x86_64_NVIDIA", instance_types = ["g5.2xlarge"], min_size = 2, max_size = 4 }
    off      = { ami_type = "AL2023_x86_64_NVIDIA", instance_types = ["g5.2xlarge"], min_size = 0, max_size = 0, desired_size = 0 }
  }
}

resource "aws_launch_template" "gpu" {
  name          = "gpu"
  image_id      = "ami-0bbbbbbbbbbbbbbbb"
  instance_type = "g5.2xlarge"
}

resource "aws_autoscaling_group" "gpu" {
  name               = "gpu"
  min_size           = 0
  max_size           = 1
  desired_capacity   = 2
  availability_zones = ["us-east-2a"]
  launch_template {
    id      = aws_launch_template.gpu.id
    version = aws_launch_template.gpu.latest_version
  }
}

# A type beside an image that is looked up: nobody says of what kind it is, and nothing is told.
data "aws_ami" "gpu" {
  most_recent = true
  owners      = ["amazon"]
  filter {
    name   = "name"
    values = ["amazon-eks-node-al2023-x86_64-nvidia-1.33-*"]
  }
}

module "serve" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.0"

  cluster_name    = "serve"
  cluster_version = "1.33"
  eks_managed_node_groups = {
    looked_up = { ami_id = data.aws_ami.gpu.id, ami_type = "AL2023_x86_64_NVIDIA", instance_types = ["g6.12xlarge"], min_size = 1, max_size = 1, desired_size = 1 }
  }
}
