# Every pool may say who installs the driver, and none does.
locals {
  pools = {
    gpu = { vm_size = "Standard_NC4as_T4_v3", node_count = 1 }
  }
}

resource "azurerm_kubernetes_cluster" "serve" {
  name                = "serve"
  location            = "westeurope"
  resource_group_name = "serve"
}

resource "azurerm_kubernetes_cluster_node_pool" "each" {
  for_each              = local.pools
  name                  = each.key
  kubernetes_cluster_id = azurerm_kubernetes_cluster.serve.id
  vm_size               = each.value.vm_size
  node_count            = each.value.node_count
  node_taints           = ["nvidia.com/gpu=present:NoSchedule"]
  gpu_driver            = try(each.value.gpu_driver, "None")
}

resource "helm_release" "plugin" {
  name       = "nvidia-device-plugin"
  repository = "https://nvidia.github.io/k8s-device-plugin"
  chart      = "nvidia-device-plugin"
  version    = "0.17.1"
}
