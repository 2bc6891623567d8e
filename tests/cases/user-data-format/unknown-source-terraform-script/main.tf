variable "boot_script" {
  description = "what GPU nodes boot with"
  type        = string
}

resource "aws_launch_template" "gpu" {
  image_id      = "ami-0123456789abcdef0"
  instance_type = "p5.48xlarge"
  user_data     = base64encode(var.boot_script)

  metadata_options { http_tokens = "required" }
}
