source "amazon-ebs" "gpu" {
  ami_name      = "gpu-node-{{timestamp}}"
  instance_type = "g5.xlarge"
  ssh_username  = "ubuntu"
}

build {
  sources = ["source.amazon-ebs.gpu"]

  provisioner "shell" {
    execute_command = "sudo {{ .Vars }} bash '{{ .Path }}'"
    script          = "${path.root}/driver.sh"
  }
}
