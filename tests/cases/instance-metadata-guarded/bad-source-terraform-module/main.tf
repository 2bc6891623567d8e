module "gpu" {
  source  = "terraform-aws-modules/ec2-instance/aws"
  version = "~> 5.6"
  for_each = toset(["a", "b"])
  name = "gpu-${each.key}"
  ami = "ami-0123456789abcdef0"
  instance_type = "g5.xlarge"
  metadata_options = { http_tokens = "optional" }
  user_data = <<-EOT
    #!/bin/bash
    curl -sfL https://get.k3s.io | sh -
  EOT
}
