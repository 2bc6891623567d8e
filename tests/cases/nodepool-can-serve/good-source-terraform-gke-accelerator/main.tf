resource "google_container_cluster" "c" {
  name     = "ml"
  location = "us-central1-a"
}
resource "google_container_node_pool" "gpu" {
  name    = "gpu"
  cluster = google_container_cluster.c.name
  node_count = 1
  node_config {
    machine_type = "g2-standard-8"
    guest_accelerator {
      type  = "nvidia-l4"
      count = 1
    }
    taint {
      key    = "nvidia.com/gpu"
      value  = "present"
      effect = "NO_SCHEDULE"
    }
  }
}
resource "kubernetes_job_v1" "t" {
  metadata { name = "t" }
  spec {
    template {
      metadata {}
      spec {
        node_selector = { "cloud.google.com/gke-accelerator" = "nvidia-l4" }
        container {
          name = "t"
          image = "nvcr.io/nvidia/pytorch:25.01-py3"
          resources { limits = { "nvidia.com/gpu" = 1 } }
        }
      }
    }
  }
}
