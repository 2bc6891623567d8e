# A group of GPU machines whose provider of capacity leaves its size alone, and one that nothing scales.
resource "aws_launch_template" "render" {
  name          = "render"
  image_id      = "ami-0aaaaaaaaaaaaaaaa"
  instance_type = "g4dn.2xlarge"
}

resource "aws_autoscaling_group" "render" {
  min_size         = 0
  max_size         = 6
  desired_capacity = 1
  launch_template {
    id = aws_launch_template.render.id
  }
}

resource "aws_ecs_capacity_provider" "render" {
  name = "render"
  auto_scaling_group_provider {
    auto_scaling_group_arn = aws_autoscaling_group.render.arn
    managed_scaling {
      status = "DISABLED"
    }
  }
}

resource "aws_autoscaling_group" "preview" {
  min_size         = 1
  max_size         = 3
  desired_capacity = 1
  launch_template {
    id = aws_launch_template.render.id
  }
  tag {
    key                 = "team"
    value               = "preview"
    propagate_at_launch = true
  }
}
