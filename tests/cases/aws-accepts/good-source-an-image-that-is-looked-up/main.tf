data "aws_ami" "gpu" {
  most_recent = true
  owners      = ["amazon"]
  filter {
    name   = "name"
    values = ["amazon-eks-node-al2023-x86_64-nvidia-1.33-*"]
  }
}
module "eks" {
  source             = "terraform-aws-modules/eks/aws"
  version            = "~> 20.0"
  cluster_name       = "ml"
  cluster_version    = "1.33"
  eks_managed_node_groups = {
    gpu = {
      ami_id         = data.aws_ami.gpu.id
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g6.12xlarge"]
      enable_bootstrap_user_data = true
      min_size = 1
      max_size = 1
      desired_size = 1
    }
  }
}
