resource "azurerm_kubernetes_cluster" "serve" {
  name                = "serve"
  location            = "westeurope"
  resource_group_name = "serve"
}

resource "azurerm_kubernetes_cluster_node_pool" "a100" {
  name                  = "a100"
  kubernetes_cluster_id = azurerm_kubernetes_cluster.serve.id
  vm_size               = "Standard_NC24ads_A100_v4"
  node_count            = 1
}
