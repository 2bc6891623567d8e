# Node pools of sizes that their clouds do not have: Azure's of another version or number of cores, others' of another number of GPUs.
resource "azurerm_kubernetes_cluster" "research" {
  name = "research"
  default_node_pool {
    name       = "system"
    vm_size    = "Standard_D2s_v5"
    node_count = 1
  }
}

resource "azurerm_kubernetes_cluster_node_pool" "gpu" {
  for_each              = { version = "Standard_ND96isr_H100_v4", cores = "Standard_NC128ads_A100_v4", no_such = "Standard_NV16ads_A100_v5" }
  name                  = each.key
  kubernetes_cluster_id = azurerm_kubernetes_cluster.research.id
  vm_size               = each.value
}

resource "oci_containerengine_node_pool" "gpu" {
  name       = "gpu"
  node_shape = "BM.GPU.H100.4"
}

resource "digitalocean_kubernetes_node_pool" "gpu" {
  name       = "gpu"
  size       = "gpu-h100x4-320gb"
  node_count = 1
}

resource "scaleway_k8s_pool" "gpu" {
  name      = "gpu"
  node_type = "H100-4-80G"
  size      = 1
}
