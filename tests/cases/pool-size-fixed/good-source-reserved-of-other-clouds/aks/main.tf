resource "azurerm_kubernetes_cluster_node_pool" "train" {
  name                          = "train"
  kubernetes_cluster_id         = var.cluster
  vm_size                       = "Standard_ND96isr_H100_v5"
  auto_scaling_enabled          = true
  min_count                     = 2
  max_count                     = 2
  capacity_reservation_group_id = azurerm_capacity_reservation_group.train.id
}

resource "azurerm_capacity_reservation_group" "train" {
  name                = "train"
  resource_group_name = "serve"
  location            = "swedencentral"
}

variable "cluster" {
  type = string
}
