# An image without a driver, and an operator that has none for its system.
resource "aws_eks_node_group" "l4" {
  cluster_name    = "research"
  node_group_name = "l4"
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = ["subnet-0aaaaaaaaaaaaaaaa"]
  ami_type        = "AL2023_x86_64_STANDARD"
  instance_types  = ["g6.2xlarge"]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}

resource "helm_release" "gpu_operator" {
  name    = "gpu-operator"
  chart   = "gpu-operator"
  version = "v25.3.4"
  values  = [yamlencode({ driver = { version = "570.172.08" } })]
}
