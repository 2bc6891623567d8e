resource "aws_eks_cluster" "ml" {
  name     = "ml-prod"
  version  = "1.34"
  role_arn = "arn:aws:iam::111122223333:role/cluster"
  vpc_config { subnet_ids = ["subnet-1"] }
}

resource "aws_eks_node_group" "gpus" {
  cluster_name   = aws_eks_cluster.ml.name
  node_role_arn  = "arn:aws:iam::111122223333:role/nodes"
  subnet_ids     = ["subnet-1"]
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = ["g5.xlarge"]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
