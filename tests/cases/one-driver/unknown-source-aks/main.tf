resource "azurerm_kubernetes_cluster_node_pool" "gpu" {
  name                  = "a100"
  kubernetes_cluster_id = var.cluster
  vm_size               = "Standard_NC24ads_A100_v4"
  gpu_driver            = "None"
}

variable "cluster" {}
variable "driver" {}

resource "helm_release" "gpu_operator" {
  name    = "gpu-operator"
  chart   = "gpu-operator"
  version = "v25.3.4"

  dynamic "set" {
    for_each = { "operator.cleanupCRD" = "true", "driver.enabled" = var.driver }
    content {
      name  = set.key
      value = set.value
    }
  }
}
