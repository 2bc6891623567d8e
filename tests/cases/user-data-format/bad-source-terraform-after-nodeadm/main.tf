module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name               = "training"
  kubernetes_version = "1.33"

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
  }
}
