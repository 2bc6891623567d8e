# The token is fetched when the machine boots.
resource "google_compute_instance" "gpu" {
  name                    = "gpu"
  machine_type            = "g2-standard-24"
  metadata_startup_script = <<-EOT
    #!/bin/bash
    set -euo pipefail
    curl -sfL https://get.k3s.io -o k3s.sh
    K3S_TOKEN=$(gcloud secrets versions access latest --secret=k3s) K3S_URL=https://10.0.0.1:6443 sh k3s.sh
  EOT
}
