# No cluster is here: the parameter itself says for which version the image is.
variable "kubernetes_version" {
  default = "1.33"
}

data "aws_ssm_parameter" "gpu" {
  name = "/aws/service/eks/optimized-ami/${var.kubernetes_version}/amazon-linux-2-gpu/recommended/image_id"
}

resource "aws_launch_template" "gpu" {
  image_id      = data.aws_ssm_parameter.gpu.value
  instance_type = "g5.12xlarge"
}

resource "aws_autoscaling_group" "gpu" {
  min_size            = 2
  max_size            = 2
  desired_capacity    = 2
  vpc_zone_identifier = ["subnet-0a1b2c3d"]

  launch_template {
    id = aws_launch_template.gpu.id
  }
}
