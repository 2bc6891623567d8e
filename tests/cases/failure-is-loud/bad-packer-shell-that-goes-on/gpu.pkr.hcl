source "amazon-ebs" "gpu" {
  ami_name      = "gpu-nodes"
  instance_type = "g6.xlarge"
  source_ami    = "ami-0a1b2c3d4e5f60718"
  ssh_username  = "ubuntu"
}

build {
  sources = ["source.amazon-ebs.gpu"]

  provisioner "shell" {
    inline_shebang = "/usr/bin/env bash"
    inline = [
      "set -euo pipefail",
      "sudo apt-get update",
    ]
  }

  # What the shell above was told is its own.
  provisioner "shell" {
    inline_shebang = "/usr/bin/env bash"
    inline = [
      "wget -q https://us.download.nvidia.com/tesla/570.133.20/NVIDIA-Linux-x86_64-570.133.20.run",
      "sudo sh NVIDIA-Linux-x86_64-570.133.20.run --silent",
      "rm NVIDIA-Linux-x86_64-570.133.20.run",
    ]
  }
}
