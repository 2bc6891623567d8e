resource "azurerm_linux_virtual_machine" "train" {
  name                = "train-1"
  size                = "Standard_NC4as_T4_v3"
  secure_boot_enabled = true

  source_image_reference {
    publisher = "Canonical"
    offer     = "ubuntu-24_04-lts"
    sku       = "server"
    version   = "latest"
  }
}

resource "azurerm_virtual_machine_extension" "driver" {
  name                 = "driver"
  virtual_machine_id   = azurerm_linux_virtual_machine.train.id
  publisher            = "Microsoft.HpcCompute"
  type                 = "NvidiaGpuDriverLinux"
  type_handler_version = "1.11"
}
