# What Azure/aks/azurerm makes of which rules ask: a cluster with a pool for its system, and further pools, each an entry
# of node_pools. What an entry does not say is left to the provider.

locals {
  pools = { for key, each in try(var.given.node_pools, {}) : key => each }
}

resource "azurerm_kubernetes_cluster" "main" {
  name               = try(var.given.cluster_name, var.not_known)
  kubernetes_version = try(var.given.kubernetes_version, null)

  default_node_pool {
    name           = try(var.given.agents_pool_name, "nodepool")
    vm_size        = try(var.given.agents_size, "Standard_D2s_v3")
    node_count     = try(var.given.agents_count, 2)
    min_count      = try(var.given.agents_min_count, null)
    max_count      = try(var.given.agents_max_count, null)
    node_labels    = try(var.given.agents_labels, {})
    vnet_subnet_id = try(var.given.vnet_subnet.id, var.given.vnet_subnet_id, null)
  }
}

resource "azurerm_kubernetes_cluster_node_pool" "pools" {
  for_each = local.pools

  name                          = try(each.value.name, each.key)
  kubernetes_cluster_id         = azurerm_kubernetes_cluster.main.id
  vm_size                       = each.value.vm_size
  node_count                    = try(each.value.node_count, null)
  min_count                     = try(each.value.min_count, null)
  max_count                     = try(each.value.max_count, null)
  node_labels                   = try(each.value.node_labels, {})
  node_taints                   = try(each.value.node_taints, [])
  orchestrator_version          = try(each.value.orchestrator_version, null)
  os_type                       = try(each.value.os_type, null)
  gpu_driver                    = try(each.value.gpu_driver, null)
  tags                          = try(each.value.tags, {})
  capacity_reservation_group_id = try(each.value.capacity_reservation_group_id, null)
  vnet_subnet_id                = try(each.value.vnet_subnet.id, each.value.vnet_subnet_id, null)
}
