# The cluster is made elsewhere: whatever its version is, no new image comes.
variable "cluster" {}

resource "aws_eks_node_group" "gpu" {
  cluster_name   = var.cluster
  node_role_arn  = "arn:aws:iam::111122223333:role/ml-nodes"
  subnet_ids     = ["subnet-0a1b2c3d"]
  ami_type       = "AL2_x86_64_GPU"
  instance_types = ["g5.12xlarge"]

  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}

resource "aws_eks_node_group" "current" {
  cluster_name   = var.cluster
  node_role_arn  = "arn:aws:iam::111122223333:role/ml-nodes"
  subnet_ids     = ["subnet-0a1b2c3d"]
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = ["g6.12xlarge"]

  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
