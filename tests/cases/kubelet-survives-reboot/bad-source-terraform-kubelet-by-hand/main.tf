variable "release" {
  type    = string
  default = "v1.33.5"
}

resource "aws_launch_template" "trainer" {
  name_prefix   = "trainer-"
  image_id      = "ami-0c0ffee0c0ffee0c0"
  instance_type = "g6.12xlarge"
  user_data     = base64encode(templatefile("${path.module}/boot.sh.tftpl", { release = var.release }))

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      encrypted = true
    }
  }
}

resource "aws_autoscaling_group" "trainer" {
  min_size            = 2
  max_size            = 2
  desired_capacity    = 2
  vpc_zone_identifier = ["subnet-0123456789abcdef0"]

  launch_template {
    id      = aws_launch_template.trainer.id
    version = aws_launch_template.trainer.latest_version
  }
}
