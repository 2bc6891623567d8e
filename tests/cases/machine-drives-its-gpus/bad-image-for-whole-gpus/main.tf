resource "azurerm_linux_virtual_machine" "serve" {
  name = "serve-1"
  size = "Standard_NV36ads_A10_v5"

  source_image_reference {
    publisher = "microsoft-dsvm"
    offer     = "ubuntu-hpc"
    sku       = "2204"
    version   = "latest"
  }
}
