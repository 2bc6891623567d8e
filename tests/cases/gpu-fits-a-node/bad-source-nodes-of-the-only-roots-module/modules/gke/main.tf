variable "machine_type" {
  type = string
}

resource "google_container_cluster" "train" {
  name     = "train"
  location = "us-central1-a"
}

resource "google_container_node_pool" "gpu" {
  name       = "gpu"
  cluster    = google_container_cluster.train.name
  location   = "us-central1-a"
  node_count = 2

  node_config {
    machine_type = var.machine_type
    guest_accelerator {
      type  = "nvidia-l4"
      count = 2
    }
  }
}
