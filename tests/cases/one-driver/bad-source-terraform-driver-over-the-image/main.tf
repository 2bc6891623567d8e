module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name               = "vision"
  kubernetes_version = "1.33"

  eks_managed_node_groups = {
    labelling = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g6.12xlarge"]
      min_size       = 2
      max_size       = 2
      desired_size   = 2

      cloudinit_pre_nodeadm = [{
        content_type = "text/x-shellscript; charset=\"us-ascii\""
        content      = <<-EOT
          #!/bin/bash
          set -euo pipefail
          dnf install -y kernel-devel nvidia-driver-latest-dkms
        EOT
      }]
    }
  }
}
