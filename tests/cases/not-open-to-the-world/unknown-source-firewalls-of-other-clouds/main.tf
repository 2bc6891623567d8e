# Nothing here says what the variable is.
variable "ssh_from" {
  type    = list(string)
}

resource "google_compute_network" "ml" {
  name = "ml"
}

resource "google_compute_subnetwork" "ml" {
  name          = "ml"
  network       = google_compute_network.ml.self_link
  ip_cidr_range = "10.8.0.0/20"
}

resource "google_container_cluster" "ml" {
  name       = "ml"
  network    = google_compute_network.ml.name
  subnetwork = google_compute_subnetwork.ml.name
}

resource "google_container_node_pool" "gpu" {
  name       = "gpu"
  cluster    = google_container_cluster.ml.name
  node_count = 1

  node_config {
    machine_type = "g2-standard-8"
    tags         = ["gpu-node"]
    guest_accelerator {
      type  = "nvidia-l4"
      count = 1
    }
  }
}

resource "google_compute_firewall" "ssh" {
  name          = "ssh"
  network       = google_compute_network.ml.id
  source_ranges = var.ssh_from
  target_tags   = ["gpu-node"]

  allow {
    protocol = "icmp"
  }
  allow {
    protocol = "tcp"
    ports    = ["22", 30000]
  }
}
