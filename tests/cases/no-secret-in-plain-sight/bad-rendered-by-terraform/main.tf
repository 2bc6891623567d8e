resource "aws_instance" "worker" {
  user_data = templatefile("${path.module}/join.sh", {
    token   = var.token
    address = aws_instance.server.private_ip
  })
}
