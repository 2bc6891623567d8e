# A managed group whose taint EKS refuses: by a module, and as a resource.
module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "20.37.2"

  cluster_name    = "train"
  cluster_version = "1.33"

  eks_managed_node_groups = {
    gpu = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g6.2xlarge"]
      min_size       = 2
      max_size       = 2
      desired_size   = 2
      taints = {
        gpu = { key = "nvidia.com/gpu", value = "present", effect = "NoSchedule" }
      }
    }
  }
}

variable "effect" {}

resource "aws_eks_node_group" "each" {
  for_each        = { cold = "NoExecute", soft = "PREFER_NO_SCHEDULE", said_elsewhere = var.effect }
  cluster_name    = module.eks.cluster_name
  node_group_name = each.key
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = ["subnet-0aaaaaaaaaaaaaaaa"]
  ami_type        = "AL2023_x86_64_NVIDIA"
  instance_types  = ["g6.2xlarge"]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
  taint {
    key    = "nvidia.com/gpu"
    effect = each.value
  }
}
