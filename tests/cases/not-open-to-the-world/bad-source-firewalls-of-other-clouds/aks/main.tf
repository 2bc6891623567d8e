# A group before the subnet of the nodes; the one rule stands in it, the other beside it.
resource "azurerm_subnet" "nodes" {
  name                 = "nodes"
  virtual_network_name = "ml"
  resource_group_name  = "ml"
  address_prefixes     = ["10.9.0.0/22"]
}

resource "azurerm_kubernetes_cluster_node_pool" "gpu" {
  name                  = "gpu"
  kubernetes_cluster_id = "/subscriptions/0/resourceGroups/ml/providers/Microsoft.ContainerService/managedClusters/ml"
  vm_size               = "Standard_NC24ads_A100_v4"
  node_count            = 1
  vnet_subnet_id        = azurerm_subnet.nodes.id
}

resource "azurerm_network_security_group" "nodes" {
  name                = "nodes"
  location            = "westeurope"
  resource_group_name = "ml"

  security_rule {
    name                       = "ssh"
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "Tcp"
    source_port_range          = "*"
    destination_port_range     = "22"
    source_address_prefix      = "Internet"
    destination_address_prefix = "*"
  }
}

resource "azurerm_network_security_rule" "ports" {
  name                        = "ports"
  network_security_group_name = azurerm_network_security_group.nodes.name
  resource_group_name         = "ml"
  priority                    = 110
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "*"
  source_port_range           = "*"
  destination_port_range      = "*"
  source_address_prefixes     = ["10.0.0.0/8", "0.0.0.0/0"]
  destination_address_prefix  = "*"
}

resource "azurerm_subnet_network_security_group_association" "nodes" {
  subnet_id                 = azurerm_subnet.nodes.id
  network_security_group_id = azurerm_network_security_group.nodes.id
}
