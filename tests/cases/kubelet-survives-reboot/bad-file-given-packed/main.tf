resource "azurerm_linux_virtual_machine" "gpu" {
  name                            = "gpu-0"
  location                        = "westeurope"
  resource_group_name             = "gpu"
  size                            = "Standard_NC24ads_A100_v4"
  admin_username                  = "ops"
  network_interface_ids           = [azurerm_network_interface.gpu.id]
  custom_data                     = filebase64("node.sh")
  disable_password_authentication = true
}
