resource "aws_eks_node_group" "gpu" {
  cluster_name   = "serve"
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = ["g6.xlarge"]
  node_role_arn  = "arn:aws:iam::111122223333:role/nodes"
  subnet_ids     = ["subnet-0123456789abcdef0"]

  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}

resource "helm_release" "gpu_operator" {
  name       = "gpu-operator"
  namespace  = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.4"

  values = [
    file("${path.module}/values/operator.yaml"),
    file("${path.module}/values/on-eks.yaml"),
  ]
}
