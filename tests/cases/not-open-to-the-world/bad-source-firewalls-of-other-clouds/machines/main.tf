# Machines by themselves: one of Google's in the network that everybody has, one of Azure's behind an interface.
resource "google_compute_instance" "trainer" {
  name         = "trainer"
  machine_type = "a2-highgpu-1g"

  network_interface {
    network = "default"
    access_config {}
  }
  scheduling {
    on_host_maintenance = "TERMINATE"
  }
}

resource "google_compute_firewall" "notebook" {
  name          = "notebook"
  network       = "default"
  source_ranges = ["0.0.0.0/0"]

  allow {
    protocol = "tcp"
    ports    = ["8888"]
  }
}

resource "azurerm_network_interface" "trainer" {
  name = "trainer"

  ip_configuration {
    name                 = "public"
    subnet_id            = "/subscriptions/0/subnets/ml"
    public_ip_address_id = azurerm_public_ip.trainer.id
  }
}

resource "azurerm_linux_virtual_machine" "trainer" {
  name                  = "trainer"
  size                  = "Standard_NC4as_T4_v3"
  network_interface_ids = [azurerm_network_interface.trainer.id]
}

resource "azurerm_network_security_group" "trainer" {
  name = "trainer"

  security_rule {
    name                   = "jupyter"
    direction              = "Inbound"
    access                 = "Allow"
    protocol               = "Tcp"
    destination_port_range = "8888"
    source_address_prefix  = "*"
  }
}

resource "azurerm_network_interface_security_group_association" "trainer" {
  network_interface_id      = azurerm_network_interface.trainer.id
  network_security_group_id = azurerm_network_security_group.trainer.id
}
