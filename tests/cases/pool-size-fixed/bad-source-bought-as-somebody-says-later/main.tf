variable "bought_as" { type = string }

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name               = "train"
  kubernetes_version = "1.34"
  vpc_id             = module.network.vpc_id
  subnet_ids         = module.network.private_subnets

  eks_managed_node_groups = {
    gpu = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["p5en.48xlarge"]
      subnet_ids     = [module.network.private_subnets[0]]
      capacity_type  = var.bought_as
      min_size       = 0
      max_size       = 4
    }
  }
}
