# Groups that EKS refuses: a version beside an image of one's own, and images for other processors.
variable "subnets" {
  type = list(string)
}

resource "aws_eks_cluster" "train" {
  name     = "train"
  role_arn = "arn:aws:iam::111111111111:role/cluster"
  version  = "1.33"
  vpc_config {
    subnet_ids = var.subnets
  }
}

resource "aws_launch_template" "own" {
  name      = "own"
  image_id  = "ami-0aaaaaaaaaaaaaaaa"
  user_data = base64encode("#!/bin/bash\nset -e\n/etc/eks/bootstrap.sh train\n")
}

locals {
  groups = {
    own      = { template = true, version = "1.33", type = "g5.2xlarge", image = null }
    arm      = { template = false, version = null, type = "g5g.2xlarge", image = "AL2023_x86_64_NVIDIA" }
    x86      = { template = false, version = null, type = "g6.2xlarge", image = "AL2023_ARM_64_NVIDIA" }
    graviton = { template = false, version = null, type = "m8g.2xlarge", image = null }
  }
}

resource "aws_eks_node_group" "each" {
  for_each        = local.groups
  cluster_name    = aws_eks_cluster.train.name
  node_group_name = each.key
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = var.subnets
  version         = each.value.version
  ami_type        = each.value.image
  instance_types  = [each.value.type]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
  dynamic "launch_template" {
    for_each = each.value.template ? [1] : []
    content {
      id      = aws_launch_template.own.id
      version = aws_launch_template.own.latest_version
    }
  }
}

# What it is known as later is a version, too.
resource "aws_eks_node_group" "of_the_cluster" {
  cluster_name    = aws_eks_cluster.train.name
  node_group_name = "of-the-cluster"
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = var.subnets
  release_version = aws_eks_cluster.train.platform_version
  instance_types  = ["g6.2xlarge"]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
  launch_template {
    id      = aws_launch_template.own.id
    version = aws_launch_template.own.latest_version
  }
}
