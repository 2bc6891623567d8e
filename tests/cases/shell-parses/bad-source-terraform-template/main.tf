resource "aws_instance" "gpu" {
  ami           = "ami-0123456789abcdef0"
  instance_type = "g6.xlarge"
  user_data = templatefile("${path.module}/userdata.sh.tftpl", {
    token = var.token
    server = "https://10.0.0.10:6443"
    labels = { "gpu" = "l4" }
  })
}
variable "token" { sensitive = true }
