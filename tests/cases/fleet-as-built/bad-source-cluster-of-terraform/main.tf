resource "aws_eks_cluster" "this" {
  name     = "gpu-dev"
  role_arn = "arn:aws:iam::111122223333:role/gpu-dev-cluster"
  version  = "1.33"

  vpc_config {
    subnet_ids = ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]
  }
}

resource "aws_eks_node_group" "t4" {
  cluster_name    = aws_eks_cluster.this.name
  node_group_name = "t4"
  node_role_arn   = "arn:aws:iam::111122223333:role/gpu-dev-nodes"
  subnet_ids      = ["subnet-0a1b2c3d"]
  ami_type        = "BOTTLEROCKET_x86_64_NVIDIA"
  instance_types  = ["g4dn.12xlarge"]
  version         = "1.32"

  scaling_config {
    min_size     = 4
    max_size     = 4
    desired_size = 4
  }
}
