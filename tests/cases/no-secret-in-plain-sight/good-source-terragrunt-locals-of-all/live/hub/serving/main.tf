variable "hf_token" {
  type      = string
  sensitive = true
}

resource "aws_launch_template" "gpu" {
  instance_type = "g6.xlarge"

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      encrypted = true
    }
  }
}

resource "aws_eks_node_group" "gpu" {
  cluster_name   = "serve"
  ami_type       = "AL2023_x86_64_NVIDIA"
  node_role_arn  = "arn:aws:iam::111122223333:role/nodes"
  subnet_ids     = ["subnet-0123456789abcdef0"]

  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
  launch_template {
    id      = aws_launch_template.gpu.id
    version = aws_launch_template.gpu.latest_version
  }
}
