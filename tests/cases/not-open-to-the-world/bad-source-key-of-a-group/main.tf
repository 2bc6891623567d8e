# The same of a key that is looked up.
data "aws_key_pair" "operators" {
  key_name = "operators"
}

resource "aws_eks_node_group" "train" {
  cluster_name    = "train"
  node_group_name = "train"
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = ["subnet-0aaaaaaaaaaaaaaaa"]
  ami_type        = "AL2023_x86_64_NVIDIA"
  instance_types  = ["g6.12xlarge"]
  remote_access {
    ec2_ssh_key = data.aws_key_pair.operators.id
  }
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
