node_pools = {
  gpu = {
    types     = ["g5.2xlarge"]
    user_data = <<-EOT
      #!/bin/bash
      set -euo pipefail
      apt-get install -y kubelet containerd
      systemctl enable --now containerd
      systemctl enable kubelet
      systemctl start kubelet
    EOT
  }
}
