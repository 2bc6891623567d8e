module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 19.21"

  cluster_name    = "training"
  cluster_version = "1.30"

  eks_managed_node_groups = {
    gpu = {
      ami_type       = "AL2_x86_64_GPU"
      instance_types = ["g5.12xlarge"]
      min_size       = 2
      max_size       = 2
      desired_size   = 2

      pre_bootstrap_user_data = <<-EOT
        /bin/setup-local-disks raid0
      EOT
    }
  }
}
