resource "google_compute_instance" "train" {
  name         = "train-1"
  machine_type = "n1-standard-8"
  zone         = "us-central1-a"

  guest_accelerator {
    type  = "nvidia-tesla-t4"
    count = 1
  }

  scheduling {
    on_host_maintenance = "TERMINATE"
  }

  shielded_instance_config {
    enable_secure_boot = true
  }

  metadata_startup_script = "apt-get update && apt-get install -y linux-modules-nvidia-570-server-open-gcp nvidia-driver-570-server-open"
}

# Google stops what it may take away.
resource "google_compute_instance" "spot" {
  name         = "spot-1"
  machine_type = "g2-standard-8"
  zone         = "us-central1-a"

  scheduling {
    preemptible       = true
    automatic_restart = false
  }
}

resource "azurerm_linux_virtual_machine" "serve" {
  name                = "serve-1"
  size                = "Standard_NV36ads_A10_v5"
  secure_boot_enabled = false

  source_image_reference {
    publisher = "Canonical"
    offer     = "ubuntu-24_04-lts"
    sku       = "server"
    version   = "latest"
  }
}

resource "azurerm_virtual_machine_extension" "driver" {
  name                 = "driver"
  virtual_machine_id   = azurerm_linux_virtual_machine.serve.id
  publisher            = "Microsoft.HpcCompute"
  type                 = "NvidiaGpuDriverLinux"
  type_handler_version = "1.11"
}

resource "azurerm_linux_virtual_machine" "whole" {
  name = "whole-1"
  size = "Standard_NC24ads_A100_v4"

  source_image_reference {
    publisher = "microsoft-dsvm"
    offer     = "ubuntu-hpc"
    sku       = "2204"
    version   = "latest"
  }
}

# It has no GPUs.
resource "google_compute_instance" "login" {
  name         = "login-1"
  machine_type = "e2-standard-4"
  zone         = "us-central1-a"
}
