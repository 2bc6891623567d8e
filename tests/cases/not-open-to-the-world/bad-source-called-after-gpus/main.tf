# Of what machine it is, nobody says; what it is called says enough to look at its doors.
variable "machine" {
  type = string
}

resource "aws_security_group" "lab" {
  name = "lab"
  ingress {
    from_port   = 8888
    to_port     = 8888
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_instance" "gpu_lab" {
  ami                    = "ami-0aaaaaaaaaaaaaaaa"
  instance_type          = var.machine
  vpc_security_group_ids = [aws_security_group.lab.id]
}
