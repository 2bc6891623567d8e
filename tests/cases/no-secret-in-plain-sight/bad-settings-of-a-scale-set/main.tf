variable "token" {
  type      = string
  sensitive = true
}

resource "azurerm_orchestrated_virtual_machine_scale_set" "gpu" {
  name                        = "gpu"
  location                    = "westeurope"
  resource_group_name         = "gpu"
  platform_fault_domain_count = 1
  sku_name                    = "Standard_NC24ads_A100_v4"
  instances                   = 2

  extension {
    name                 = "kubernetes"
    publisher            = "Microsoft.Azure.Extensions"
    type                 = "CustomScript"
    type_handler_version = "2.1"
    settings = jsonencode({
      script = base64encode(templatefile("${path.module}/join.sh.tftpl", { token = var.token }))
    })
  }
}
