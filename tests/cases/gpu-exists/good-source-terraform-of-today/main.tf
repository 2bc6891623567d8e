# Node pools of what their clouds start today, and one whose size nobody says here.
resource "google_container_node_pool" "t4" {
  cluster    = "research"
  node_count = 2

  node_config {
    machine_type = "n1-standard-8"
    guest_accelerator {
      type  = "nvidia-tesla-t4"
      count = 1
    }
  }
}

variable "size" {}
variable "machine" {}

resource "google_container_node_pool" "own" {
  for_each = {
    l4    = { machine = "g2-standard-24", gpu = "nvidia-l4", count = 2 }
    h100  = { machine = "a3-megagpu-8g", gpu = "nvidia-h100-mega-80gb", count = 8 }
    given = { machine = var.machine, gpu = "nvidia-l4", count = 1 }
  }
  name       = each.key
  cluster    = "research"
  node_count = 1

  node_config {
    machine_type = each.value.machine
    guest_accelerator {
      type  = each.value.gpu
      count = each.value.count
    }
  }
}

resource "azurerm_kubernetes_cluster_node_pool" "each" {
  for_each              = { t4 = "Standard_NC8as_T4_v3", a100 = "Standard_NC24ads_A100_v4", given = var.size }
  name                  = each.key
  kubernetes_cluster_id = "research"
  vm_size               = each.value
}

resource "aws_eks_node_group" "l4" {
  cluster_name    = "research"
  node_group_name = "l4"
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = ["subnet-0aaaaaaaaaaaaaaaa"]
  ami_type        = "AL2023_x86_64_NVIDIA"
  instance_types  = ["g6.2xlarge"]
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
