# The provider has replicas as a text, as a plan of it shows.
resource "kubernetes_deployment_v1" "embed" {
  metadata {
    name = "embed"
  }
  spec {
    replicas = "2"
    selector {
      match_labels = { app = "embed" }
    }
    template {
      metadata {
        labels = { app = "embed" }
      }
      spec {
        container {
          name  = "server"
          image = "registry.example/embed:3"
          resources {
            limits = { "nvidia.com/gpu" = "1" }
          }
        }
      }
    }
  }
}
