module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.0"

  cluster_name    = "serve"
  cluster_version = "1.33"
  eks_managed_node_groups = {
    gpu = { ami_type = "AL2023_x86_64_NVIDIA", instance_types = ["g6.xlarge"], min_size = 1, max_size = 1, desired_size = 1 }
  }
}
