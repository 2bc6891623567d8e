# Terraform makes the secrets, and writes them where every pod of the node can read them.
resource "random_password" "join" {
  length = 40
}

resource "tls_private_key" "mpi" {
  algorithm = "ED25519"
}

resource "aws_instance" "worker" {
  count         = 2
  ami           = "ami-0aaaaaaaaaaaaaaaa"
  instance_type = "g5.12xlarge"
  user_data     = <<-EOT
    #!/bin/bash
    set -euo pipefail
    mkdir -p /etc/rancher/k3s
    echo "token: ${random_password.join.result}" > /etc/rancher/k3s/config.yaml
    echo '${tls_private_key.mpi.private_key_openssh}' > /home/ubuntu/.ssh/id_ed25519
    echo "HUB=${var.HUB_TOKEN}" >> /etc/environment
    curl -sfL https://get.k3s.io | sh -s - agent --server https://10.0.0.4:6443
  EOT
}

variable "HUB_TOKEN" {
  type      = string
  sensitive = true
}
