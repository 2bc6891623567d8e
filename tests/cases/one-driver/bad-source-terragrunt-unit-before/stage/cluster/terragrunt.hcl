terraform {
  source = "tfr:///terraform-aws-modules/eks/aws?version=21.3.1"
}

inputs = {
  name               = "research"
  kubernetes_version = "1.34"

  eks_managed_node_groups = {
    trainer = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g6e.12xlarge"]
      min_size       = 2
      max_size       = 2
      desired_size   = 2
    }
  }
}
