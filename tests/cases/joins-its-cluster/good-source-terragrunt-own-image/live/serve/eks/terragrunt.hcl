include "root" {
  path = find_in_parent_folders("root.hcl")
}

terraform {
  source = "tfr:///terraform-aws-modules/eks/aws?version=20.31.6"
}

locals {
  cluster = read_terragrunt_config(find_in_parent_folders("cluster.hcl"))
}

dependency "vpc" {
  config_path = "../vpc"
}

inputs = {
  cluster_name    = local.cluster.locals.name
  cluster_version = "1.33"
  subnet_ids      = dependency.vpc.outputs.private_subnets

  eks_managed_node_groups = {
    gpu = {
      ami_id                     = local.cluster.locals.image
      ami_type                   = "AL2023_x86_64_NVIDIA"
      instance_types             = ["g6e.12xlarge"]
      min_size                   = 2
      max_size                   = 2
      desired_size               = 2
      enable_bootstrap_user_data = true
    }
  }
}
