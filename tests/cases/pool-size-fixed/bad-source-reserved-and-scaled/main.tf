# Reserved machines, which are paid for whether they run or not, and a policy that gives them back.
resource "aws_launch_template" "gpu" {
  name          = "gpu"
  image_id      = "ami-0aaaaaaaaaaaaaaaa"
  instance_type = "g6.2xlarge"
  capacity_reservation_specification {
    capacity_reservation_target {
      capacity_reservation_id = "cr-0aaaaaaaaaaaaaaaa"
    }
  }
}

resource "aws_autoscaling_group" "gpu" {
  name             = "gpu"
  min_size         = 0
  max_size         = 4
  desired_capacity = 1
  launch_template {
    id      = aws_launch_template.gpu.id
    version = aws_launch_template.gpu.latest_version
  }
}

resource "aws_autoscaling_policy" "queue" {
  name                   = "queue"
  autoscaling_group_name = aws_autoscaling_group.gpu.name
  adjustment_type        = "ChangeInCapacity"
  scaling_adjustment     = 1
}
