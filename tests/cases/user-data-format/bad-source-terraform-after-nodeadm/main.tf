module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name               = "training"
  kubernetes_version = "1.32"

  eks_managed_node_groups = {
    gpu = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g6e.12xlarge"]
      min_size       = 2
      max_size       = 2
      desired_size   = 2

      cloudinit_post_nodeadm = [{
        content_type = "text/x-shellscript; charset=\"us-ascii\""
        content      = <<-EOT
          #!/bin/bash
          set -euo pipefail
          sysctl -w vm.max_map_count=262144
        EOT
      }]
    }
    # AL2's arguments, which AL2023 has no script for; and those that EKS itself calls AL2's script without.
    newer = {
      ami_type             = "AL2023_x86_64_NVIDIA"
      instance_types       = ["g6e.12xlarge"]
      bootstrap_extra_args = "--kubelet-extra-args '--max-pods=30'"
      min_size             = 2
      max_size             = 2
      desired_size         = 2
    }
    older = {
      ami_type             = "AL2_x86_64_GPU"
      instance_types       = ["g6e.12xlarge"]
      bootstrap_extra_args = "--kubelet-extra-args '--max-pods=30'"
      min_size             = 2
      max_size             = 2
      desired_size         = 2
    }
  }
}
