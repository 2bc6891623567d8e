data "aws_ami" "gpu" {
  most_recent = true
  owners      = ["self"]

  filter {
    name   = "name"
    values = ["research-al2023-nvidia-*"]
  }
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.31"

  cluster_name    = "research"
  cluster_version = "1.32"

  eks_managed_node_groups = {
    trainer = {
      ami_id         = data.aws_ami.gpu.id
      enable_bootstrap_user_data = true
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["p5.48xlarge"]
      min_size       = 4
      max_size       = 4
      desired_size   = 4
    }
  }
}
