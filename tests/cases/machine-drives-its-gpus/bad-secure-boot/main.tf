resource "azurerm_linux_virtual_machine" "train" {
  name                = "train-1"
  size                = "Standard_NC24ads_A100_v4"
  secure_boot_enabled = true

  source_image_reference {
    publisher = "Canonical"
    offer     = "ubuntu-24_04-lts"
    sku       = "server"
    version   = "latest"
  }

  custom_data = base64encode(<<-EOT
    #!/bin/bash
    apt-get update
    apt-get install -y cuda-drivers-570
    EOT
  )
}
