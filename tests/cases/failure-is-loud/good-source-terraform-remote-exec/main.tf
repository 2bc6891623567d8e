resource "aws_instance" "gpu" {
  count         = 3
  ami           = "ami-0123456789abcdef0"
  instance_type = "g5.xlarge"
  metadata_options { http_tokens = "required" }
}
resource "null_resource" "join" {
  count = 3
  connection {
    host        = aws_instance.gpu[count.index].public_ip
    user        = "ubuntu"
    private_key = file("~/.ssh/id_rsa")
  }
  provisioner "file" {
    source      = "scripts/setup.sh"
    destination = "/tmp/setup.sh"
  }
  provisioner "remote-exec" {
    inline = [
      "set -euo pipefail",
      "sudo apt-get update",
      "sudo apt-get install -y nvidia-driver-570-server",
      "sudo kubeadm join ${var.endpoint}:6443 --token ${var.token} --discovery-token-unsafe-skip-ca-verification",
      "echo joined",
    ]
  }
  provisioner "local-exec" {
    when    = destroy
    command = "kubectl delete node ${self.id} || true"
  }
}
variable "token" { sensitive = true }
variable "endpoint" {}
