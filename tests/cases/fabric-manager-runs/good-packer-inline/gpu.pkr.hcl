variable "driver" { default = "570" }
source "amazon-ebs" "gpu" {
  ami_name = "gpu"
  instance_type = "p4d.24xlarge"
}
build {
  sources = ["source.amazon-ebs.gpu"]
  provisioner "shell" {
    environment_vars = ["DEBIAN_FRONTEND=noninteractive"]
    inline = [
      "sudo apt-get update",
      "sudo apt-get install -y nvidia-driver-${var.driver}-server nvidia-fabricmanager-${var.driver}",
      "sudo systemctl enable nvidia-fabricmanager",
    ]
  }
}
