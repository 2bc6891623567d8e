packer {
  required_plugins {
    amazon = { source = "github.com/hashicorp/amazon", version = "~> 1.3" }
  }
}

source "amazon-ebs" "gpu" {
  ami_name      = "gpu-node-{{timestamp}}"
  instance_type = "g5.xlarge"
  ssh_username  = "ubuntu"
  source_ami_filter {
    filters     = { name = "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*" }
    owners      = ["099720109477"]
    most_recent = true
  }
  user_data = <<-EOF
    #!/bin/bash
    systemctl mask --now unattended-upgrades
  EOF
}

build {
  sources = ["source.amazon-ebs.gpu"]
  provisioner "shell" {
    inline = ["cloud-init status --wait"]
  }
}
