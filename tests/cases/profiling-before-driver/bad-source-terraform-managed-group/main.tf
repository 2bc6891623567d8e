# EKS adds the part that joins behind these; its image for GPUs has loaded the driver before they run.
module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.0"

  cluster_name    = "train"
  cluster_version = "1.33"
  eks_managed_node_groups = {
    gpu = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g5.12xlarge"]
      cloudinit_pre_nodeadm = [{
        content_type = "text/x-shellscript"
        content      = <<-EOT
          #!/bin/bash
          set -euo pipefail
          echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf
        EOT
      }]
    }
  }
}
