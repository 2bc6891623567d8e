# What the program of somebody else returns may be a token, and may be where it is kept.
data "external" "join" {
  program = ["./join.sh"]
}

resource "aws_instance" "worker" {
  ami           = "ami-0aaaaaaaaaaaaaaaa"
  instance_type = "g5.12xlarge"
  user_data     = <<-EOT
    #!/bin/bash
    set -euo pipefail
    curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.4:6443 K3S_TOKEN=${data.external.join.result.value} sh -
  EOT
}
