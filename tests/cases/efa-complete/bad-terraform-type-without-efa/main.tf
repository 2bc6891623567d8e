# The module asks for EFA on the first card of any type: EC2 starts none of these.
module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.0"

  cluster_name       = "train"
  cluster_version    = "1.33"
  subnet_ids         = ["subnet-0a1b2c3d4e5f60718"]
  enable_efa_support = true

  eks_managed_node_groups = {
    gpu = {
      ami_type           = "AL2023_x86_64_NVIDIA"
      instance_types     = ["g5.2xlarge"]
      enable_efa_support = true
      min_size           = 2
      max_size           = 2
      desired_size       = 2
    }
  }
}
