variable "key" { type = string }

resource "aws_instance" "gpu" {
  ami           = "ami-0a1b2c3d4e5f60718"
  instance_type = "g5.12xlarge"
  user_data     = templatefile("${path.module}/templates/cloud-init.yaml.tftpl", { key = var.key })
}
