build {
  sources = ["source.amazon-ebs.node"]

  provisioner "shell" {
    environment_vars = ["mirror=${var.mirror}", "mirror_token=${var.mirror_token}"]
    script           = "agent.sh"
  }
}
