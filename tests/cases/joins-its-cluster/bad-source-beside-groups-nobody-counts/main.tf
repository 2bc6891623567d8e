# One group is known, beside others that depend on a variable that nobody sets.
variable "zones" {
  type = list(string)
}

variable "with_spare" {
  type = bool
}

locals {
  groups = merge({
    trainer = {
      ami_id                     = "ami-0a1b2c3d4e5f60718"
      ami_type                   = "AL2023_x86_64_NVIDIA"
      enable_bootstrap_user_data = false
      instance_types             = ["g6.8xlarge"]
      min_size                   = 1
      max_size                   = 1
      desired_size               = 1
    }
    },
    { for index, zone in var.zones : "workers-${index}" => { availability_zones = [zone] } },
    var.with_spare ? { spare = { instance_types = ["m7i.large"] } } : null,
  )
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.37"

  cluster_name    = "research"
  cluster_version = "1.33"

  eks_managed_node_groups = { for name, each in local.groups : name => merge(each, { create_iam_role = false }) }
}
