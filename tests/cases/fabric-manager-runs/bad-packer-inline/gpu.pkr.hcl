source "amazon-ebs" "gpu" {
  ami_name = "gpu"
  instance_type = "p4d.24xlarge"
}
build {
  sources = ["source.amazon-ebs.gpu"]
  provisioner "shell" {
    inline = [
      "sudo apt-get update",
      "sudo apt-get install -y nvidia-driver-570-server nvidia-fabricmanager-565",
    ]
  }
}
