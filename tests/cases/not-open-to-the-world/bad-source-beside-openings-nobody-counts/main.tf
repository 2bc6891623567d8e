# Who else may come is looked up where another root keeps its state: of SSH everything stands here.
variable "ssh_from" {
  type    = list(string)
  default = ["0.0.0.0/0"]
}

data "terraform_remote_state" "office" {
  backend = "local"
  config  = { path = "../office/terraform.tfstate" }
}

resource "aws_security_group" "gpu" {
  name = "gpu"

  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = var.ssh_from
  }

  dynamic "ingress" {
    for_each = data.terraform_remote_state.office.outputs.ports
    content {
      from_port   = ingress.value
      to_port     = ingress.value
      protocol    = "tcp"
      cidr_blocks = ["10.0.0.0/8"]
    }
  }
}

resource "aws_instance" "gpu" {
  ami                    = "ami-0a1b2c3d4e5f60718"
  instance_type          = "g5.xlarge"
  vpc_security_group_ids = [aws_security_group.gpu.id]
}
