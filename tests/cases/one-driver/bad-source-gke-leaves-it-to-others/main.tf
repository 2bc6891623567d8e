# GKE is told to leave the driver to others, and nobody is one.
resource "google_container_node_pool" "serve" {
  name       = "serve"
  cluster    = "models"
  node_count = 1

  node_config {
    machine_type = "g2-standard-8"

    guest_accelerator {
      type  = "nvidia-l4"
      count = 1
      gpu_driver_installation_config {
        gpu_driver_version = "INSTALLATION_DISABLED"
      }
    }
  }
}

resource "kubernetes_deployment_v1" "embed" {
  metadata { name = "embed" }
  spec {
    selector { match_labels = { app = "embed" } }
    template {
      metadata { labels = { app = "embed" } }
      spec {
        container {
          name  = "server"
          image = "registry.example/embed:3"
          resources { limits = { "nvidia.com/gpu" = 1 } }
        }
      }
    }
  }
}
