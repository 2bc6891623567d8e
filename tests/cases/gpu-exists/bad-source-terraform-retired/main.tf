# Node pools that ask for what their clouds have retired.
resource "google_container_cluster" "research" {
  name = "research"
}

resource "google_container_node_pool" "old" {
  cluster    = google_container_cluster.research.id
  node_count = 2

  node_config {
    machine_type = "n1-standard-8"
    guest_accelerator {
      type  = "nvidia-tesla-k80"
      count = 1
    }
  }
}

variable "size" {
  default = "standard_nc12s_v3"
}

resource "azurerm_kubernetes_cluster" "research" {
  name = "research"
  default_node_pool {
    name       = "system"
    vm_size    = "Standard_D2s_v5"
    node_count = 1
  }
}

resource "azurerm_kubernetes_cluster_node_pool" "gpu" {
  name                  = "gpu"
  kubernetes_cluster_id = azurerm_kubernetes_cluster.research.id
  vm_size               = var.size
}
