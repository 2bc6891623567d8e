resource "google_compute_instance_template" "train" {
  name_prefix  = "train-"
  machine_type = "a2-highgpu-1g"

  scheduling {
    on_host_maintenance = "MIGRATE"
  }

  disk {
    source_image = "ubuntu-os-accelerator-images/ubuntu-accelerator-2204-amd64-with-nvidia-570"
  }
}
