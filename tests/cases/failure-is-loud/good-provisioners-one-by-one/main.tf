resource "openstack_compute_instance_v2" "gpu" {
  name        = "gpu-0"
  image_name  = "ubuntu-24.04"
  flavor_name = "g.h100.1"
  key_pair    = "ops"

  connection {
    host = self.access_ip_v4
    user = "ubuntu"
  }
  provisioner "remote-exec" {
    inline = [
      "sudo systemctl enable --now containerd",
      "sudo kubeadm join ${var.endpoint}:6443 --token ${var.token} --discovery-token-unsafe-skip-ca-verification",
    ]
  }
  provisioner "remote-exec" {
    inline = ["sudo mkdir -p /opt/models", "sudo chown ubuntu /opt/models"]
  }
}
variable "token" { sensitive = true }
variable "endpoint" {}
