# Machines of other clouds than AWS: what they boot with stands in the resource itself.
variable "server" {}

resource "google_compute_instance" "gpu" {
  name         = "gpu"
  machine_type = "g2-standard-24"
  metadata = {
    startup-script = <<-EOT
      #!/bin/bash
      set -euo pipefail
      curl -sfL https://get.k3s.io -o k3s.sh
      K3S_URL=https://${var.server}:6443 K3S_TOKEN=kolibri-7-aster sh k3s.sh
    EOT
  }
}

resource "azurerm_linux_virtual_machine_scale_set" "gpu" {
  name      = "gpu"
  sku       = "Standard_NC24ads_A100_v4"
  instances = 2
  custom_data = base64encode(<<-EOT
    #!/bin/bash
    set -euo pipefail
    apt-get install -y nvidia-driver-570-server
    kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef --discovery-token-unsafe-skip-ca-verification
  EOT
  )
}

resource "oci_core_instance" "gpu" {
  shape = "BM.GPU.A100-v2.8"
  metadata = {
    user_data = base64encode("#!/bin/bash\nset -e\ncurl -sfL https://get.rke2.io -o rke2.sh\nRKE2_TOKEN=kolibri-8-aster sh rke2.sh\n")
  }
}
