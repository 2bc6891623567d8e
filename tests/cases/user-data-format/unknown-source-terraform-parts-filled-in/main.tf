variable "before" { type = string }
variable "cluster" { type = string }

resource "aws_launch_template" "gpu" {
  name_prefix   = "gpu-"
  image_id      = "ami-0a1b2c3d4e5f60718"
  instance_type = "g5.12xlarge"

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }

  user_data = base64encode(templatefile("${path.module}/templates/node.mime.tftpl", {
    before  = var.before
    cluster = var.cluster
  }))
}
