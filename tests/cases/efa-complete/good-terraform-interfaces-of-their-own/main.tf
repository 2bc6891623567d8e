# A machine for training, whose four EFA interfaces are resources of their own: the first it starts with, the others
# are attached.
resource "aws_security_group" "efa" {
  name   = "efa"
  vpc_id = "vpc-0a1b2c3d"

  ingress {
    from_port = 0
    to_port   = 0
    protocol  = "-1"
    self      = true
  }
  egress {
    from_port = 0
    to_port   = 0
    protocol  = "-1"
    self      = true
  }
}

resource "aws_network_interface" "first" {
  subnet_id       = "subnet-0a1b2c3d"
  interface_type  = "efa"
  security_groups = [aws_security_group.efa.id]
}

resource "aws_network_interface" "more" {
  count           = 3
  subnet_id       = "subnet-0a1b2c3d"
  interface_type  = "efa"
  security_groups = [aws_security_group.efa.id]
}

resource "aws_instance" "trainer" {
  ami           = "ami-0c7217cdde317cfec"
  instance_type = "p4d.24xlarge"

  primary_network_interface {
    network_interface_id = aws_network_interface.first.id
  }
}

resource "aws_network_interface_attachment" "more" {
  count                = 3
  instance_id          = aws_instance.trainer.id
  network_interface_id = aws_network_interface.more[count.index].id
  device_index         = 1
  network_card_index   = count.index + 1
}
