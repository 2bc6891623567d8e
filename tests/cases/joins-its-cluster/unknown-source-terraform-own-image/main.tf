variable "image" {
  description = "an image of our own, or null for that of EKS"
  type        = string
}

resource "aws_eks_cluster" "this" {
  name     = "research"
  role_arn = "arn:aws:iam::111122223333:role/cluster"
}

resource "aws_launch_template" "gpu" {
  image_id               = var.image
  update_default_version = true

  metadata_options { http_tokens = "required" }
}

resource "aws_eks_node_group" "gpu" {
  cluster_name   = aws_eks_cluster.this.name
  instance_types = ["g5.12xlarge"]

  launch_template {
    id      = aws_launch_template.gpu.id
    version = aws_launch_template.gpu.latest_version
  }

  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
