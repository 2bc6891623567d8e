locals { itype = "p4d.24xlarge" }
resource "aws_launch_template" "gpu" {
  image_id      = data.aws_ami.ubuntu.id
  instance_type = local.itype
  user_data = base64encode(file("boot.sh"))
}
data "aws_ami" "ubuntu" {
  owners = ["099720109477"]
  filter {
    name   = "name"
    values = ["ubuntu-eks/k8s_1.32/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"]
  }
}
resource "aws_autoscaling_group" "gpu" {
  min_size = 1
  max_size = 1
  launch_template { id = aws_launch_template.gpu.id }
}
