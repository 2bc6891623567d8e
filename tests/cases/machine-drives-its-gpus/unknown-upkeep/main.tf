variable "maintenance" {
  type = string
}

resource "google_compute_instance" "train" {
  name         = "train-1"
  machine_type = "g2-standard-8"
  zone         = "us-central1-a"

  scheduling {
    on_host_maintenance = var.maintenance
  }
}
