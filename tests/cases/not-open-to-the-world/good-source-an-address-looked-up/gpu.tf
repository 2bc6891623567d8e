data "http" "me" {
  url = "https://checkip.amazonaws.com"
}

resource "aws_security_group" "gpu_node" {
  name = "gpu-node"

  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = ["${chomp(data.http.me.response_body)}/32"]
  }
}

resource "aws_instance" "gpu" {
  ami                    = "ami-0a1b2c3d4e5f60718"
  instance_type          = "g6.12xlarge"
  vpc_security_group_ids = [aws_security_group.gpu_node.id]
}
