resource "aws_eks_cluster" "models" {
  name     = "models"
  role_arn = var.role
  version  = 1.30
  vpc_config { subnet_ids = var.subnets }
}

resource "aws_eks_node_group" "a10g" {
  cluster_name    = aws_eks_cluster.models.name
  node_role_arn   = var.role
  subnet_ids      = var.subnets
  instance_types  = ["g5.xlarge"]
  scaling_config {
    desired_size = 1
    min_size     = 1
    max_size     = 1
  }
}

variable "role" { type = string }
variable "subnets" { type = list(string) }
