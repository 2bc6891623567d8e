resource "google_compute_instance" "train" {
  name         = "train-1"
  machine_type = "n1-standard-8"
  zone         = "us-central1-a"

  guest_accelerator {
    type  = "nvidia-tesla-t4"
    count = 1
  }

  boot_disk {
    initialize_params {
      image = "ubuntu-os-accelerator-images/ubuntu-accelerator-2204-amd64-with-nvidia-570"
    }
  }
}
