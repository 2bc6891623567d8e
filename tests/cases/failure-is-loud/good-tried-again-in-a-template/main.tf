resource "aws_instance" "worker" {
  ami           = "ami-0aaaaaaaaaaaaaaaa"
  instance_type = "g5.xlarge"
  user_data     = templatefile("${path.module}/join.sh.tftpl", { proxy = "", server = "10.0.0.4" })
}
