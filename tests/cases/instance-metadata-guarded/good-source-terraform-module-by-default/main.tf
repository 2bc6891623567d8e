module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.6"

  name               = "serve"
  kubernetes_version = "1.34"
  vpc_id             = "vpc-0a1b2c3d4e5f60000"
  subnet_ids         = ["subnet-0a1b2c3d4e5f60001"]

  eks_managed_node_groups = {
    gpu = {
      ami_type         = "AL2023_x86_64_NVIDIA"
      instance_types   = ["g6.xlarge"]
      metadata_options = {}
    }
  }
}
