source "amazon-ebs" "gpu" {
  ami_name      = "gpu-nodes"
  instance_type = "g6.xlarge"
  source_ami    = "ami-0a1b2c3d4e5f60718"
  ssh_username  = "ubuntu"
}

# The last command's end is the shell's, and Packer's.
build {
  sources = ["source.amazon-ebs.gpu"]

  provisioner "shell" {
    inline_shebang = "/usr/bin/env bash"
    inline = [
      "sudo apt-get update",
      "sudo apt-get install -y nvidia-driver-570-server-open",
    ]
  }
}

# Packer's own shell stops at what fails, whatever the one before it did.
build {
  sources = ["source.amazon-ebs.gpu"]

  provisioner "shell" {
    inline_shebang = "/usr/bin/env bash"
    inline         = ["sudo apt-get update", "sudo apt-get install -y dkms"]
  }

  provisioner "shell" {
    inline = [
      "sudo sh NVIDIA-Linux-x86_64-570.133.20.run --silent",
      "rm NVIDIA-Linux-x86_64-570.133.20.run",
    ]
  }
}
