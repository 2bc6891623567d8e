# What is written twice counts as it stands last. What another file brings leaves the rest as it is.
variable "reservation" {}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "20.37.2"

  cluster_name    = "train"
  cluster_version = "1.33"

  eks_managed_node_groups = {
    train = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["p5.48xlarge"]
      subnet_ids     = [element(module.vpc.private_subnets, 0)]
      min_size       = 2
      max_size       = 2
      desired_size   = 2
      min_size       = 4
      max_size       = 5
    }
    serve = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g6.2xlarge"]
      min_size       = 2
      max_size       = 2
      desired_size   = 2
    }
  }
}

resource "aws_autoscaling_group" "workers" {
  min_size         = 1
  max_size         = 3
  desired_capacity = 4
  launch_template { id = "lt-0aaaaaaaaaaaaaaaa" }
}
