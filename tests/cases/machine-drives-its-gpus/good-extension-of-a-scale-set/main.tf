resource "azurerm_linux_virtual_machine_scale_set" "train" {
  name                = "train"
  sku                 = "Standard_NC4as_T4_v3"
  instances           = 2
  secure_boot_enabled = false

  source_image_reference {
    publisher = "Canonical"
    offer     = "ubuntu-24_04-lts"
    sku       = "server"
    version   = "latest"
  }
}

resource "azurerm_virtual_machine_scale_set_extension" "driver" {
  name                         = "driver"
  virtual_machine_scale_set_id = azurerm_linux_virtual_machine_scale_set.train.id
  publisher                    = "Microsoft.HpcCompute"
  type                         = "NvidiaGpuDriverLinux"
  type_handler_version         = "1.11"
}
