resource "aws_eks_cluster" "serve" {
  name     = "serve"
  version  = "1.33"
  role_arn = "arn:aws:iam::111122223333:role/serve"
  vpc_config {
    subnet_ids = ["subnet-1", "subnet-2"]
  }
}

resource "aws_eks_node_group" "gpu" {
  cluster_name    = aws_eks_cluster.serve.name
  node_group_name = "gpu"
  node_role_arn   = "arn:aws:iam::111122223333:role/node"
  subnet_ids      = ["subnet-1"]
  instance_types  = ["g6.xlarge"]
  ami_type        = "BOTTLEROCKET_x86_64_NVIDIA"
  scaling_config {
    min_size     = 1
    max_size     = 1
    desired_size = 1
  }
  taint {
    key    = "nvidia.com/gpu"
    value  = "present"
    effect = "NO_SCHEDULE"
  }
}

# Its chart tolerates nvidia.com/gpu by itself.
resource "helm_release" "plugin" {
  name       = "nvidia-device-plugin"
  repository = "https://nvidia.github.io/k8s-device-plugin"
  chart      = "nvidia-device-plugin"
  version    = "0.17.1"
}
