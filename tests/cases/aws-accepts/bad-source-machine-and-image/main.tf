data "aws_ami" "ubuntu" {
  most_recent = true
  owners      = ["099720109477"]
  filter {
    name   = "name"
    values = ["ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-*"]
  }
}

variable "type" {
  default = "g5g.2xlarge"
}

resource "aws_instance" "gpu" {
  ami           = data.aws_ami.ubuntu.id
  instance_type = var.type
}
