# A group of GPU machines that stays as it was bought.
resource "aws_launch_template" "render" {
  name          = "render"
  image_id      = "ami-0aaaaaaaaaaaaaaaa"
  instance_type = "g4dn.2xlarge"
}

resource "aws_autoscaling_group" "render" {
  min_size         = 2
  max_size         = 2
  desired_capacity = 2
  launch_template {
    id = aws_launch_template.render.id
  }
}

resource "aws_ecs_capacity_provider" "render" {
  name = "render"
  auto_scaling_group_provider {
    auto_scaling_group_arn = aws_autoscaling_group.render.arn
  }
}
