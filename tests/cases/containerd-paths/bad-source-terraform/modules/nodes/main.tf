variable "types" { type = map(string) }

resource "aws_eks_node_group" "these" {
  for_each       = var.types
  cluster_name   = "gpu"
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = [each.value]
}
