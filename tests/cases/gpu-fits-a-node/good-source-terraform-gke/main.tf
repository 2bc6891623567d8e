variable "pools" {
  type = map(object({ machine_type = string, gpu = string, gpus = number }))
  default = {
    dev = { machine_type = "g2-standard-4", gpu = "nvidia-l4", gpus = 1 }
    l4  = { machine_type = "g2-standard-24", gpu = "nvidia-l4", gpus = 2 }
  }
}
resource "google_container_cluster" "this" {
  name     = "ml"
  location = "us-central1-a"
}
resource "google_container_node_pool" "gpu" {
  for_each = var.pools
  name     = each.key
  cluster  = google_container_cluster.this.name
  initial_node_count = 1
  node_config {
    machine_type = each.value.machine_type
    guest_accelerator {
      type  = each.value.gpu
      count = each.value.gpus
    }
    taint {
      key    = "nvidia.com/gpu"
      value  = "present"
      effect = "NO_SCHEDULE"
    }
  }
}
resource "kubernetes_deployment" "llm" {
  metadata { name = "llm" }
  spec {
    selector { match_labels = { app = "llm" } }
    template {
      metadata { labels = { app = "llm" } }
      spec {
        container {
          name  = "llm"
          image = "vllm/vllm-openai:v0.9.1"
          resources {
            requests = { "nvidia.com/gpu" = 2 }
            limits   = { "nvidia.com/gpu" = 2 }
          }
        }
      }
    }
  }
}
