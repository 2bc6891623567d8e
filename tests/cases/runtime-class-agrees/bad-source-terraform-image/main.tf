module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.31"

  cluster_name    = "serve"
  cluster_version = "1.33"
  vpc_id          = "vpc-0a1b2c3d4e5f60000"
  subnet_ids      = ["subnet-0a1b2c3d4e5f60001"]

  eks_managed_node_groups = {
    gpu = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g6.xlarge"]
      min_size       = 1
      max_size       = 1
      desired_size   = 1
    }
  }
}

resource "kubernetes_runtime_class_v1" "nvidia" {
  metadata { name = "nvidia" }
  handler = "nvidia-container-runtime"
}
