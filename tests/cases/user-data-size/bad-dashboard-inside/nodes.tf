resource "aws_launch_template" "gpu" {
  name_prefix   = "gpu-"
  instance_type = "p5.48xlarge"
  user_data     = filebase64("${path.module}/user-data.sh")
}
