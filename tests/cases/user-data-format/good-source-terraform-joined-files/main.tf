resource "aws_instance" "worker" {
  count         = 2
  ami           = "ami-0123456789abcdef0"
  instance_type = "g5.xlarge"
  metadata_options { http_tokens = "required" }
  user_data_replace_on_change = true
  user_data = join("\n", [
    "#!/bin/bash",
    "set -euo pipefail",
    file("${path.module}/scripts/containerd.sh"),
    templatefile("${path.module}/scripts/join.sh.tftpl", { token = var.token, endpoint = var.endpoint, version = "1.32.4" }),
  ])
}
variable "token" {
  type = string
  sensitive = true
}
variable "endpoint" { default = "10.0.0.10:6443" }
