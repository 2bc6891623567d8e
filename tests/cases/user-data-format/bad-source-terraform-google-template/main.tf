variable "ops_key" {
  type    = string
  default = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIexample ops"
}

resource "google_compute_instance" "trainer" {
  name         = "trainer"
  machine_type = "a2-highgpu-1g"
  zone         = "europe-west4-a"

  metadata = {
    "user-data" = templatefile("${path.module}/templates/cloud-init.yaml.tftpl", { key = var.ops_key })
  }
}
