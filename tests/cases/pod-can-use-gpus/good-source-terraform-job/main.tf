resource "google_container_cluster" "this" {
  name     = "ml"
  location = "us-central1"
  node_pool {
    name = "gpu"
    node_count = 1
    node_config {
      machine_type = "a2-highgpu-1g"
      guest_accelerator {
        type  = "nvidia-tesla-a100"
        count = 1
        gpu_driver_installation_config { gpu_driver_version = "DEFAULT" }
      }
    }
  }
}
resource "kubernetes_job_v1" "t" {
  metadata { name = "t" }
  spec {
    template {
      metadata {}
      spec {
        container {
          name = "t"
          image = "nvcr.io/nvidia/cuda:12.8.0-base-ubuntu22.04"
          command = ["nvidia-smi"]
          resources { limits = { "nvidia.com/gpu" = 1 } }
        }
      }
    }
  }
}
resource "kubernetes_daemonset" "burn" {
  metadata { name = "burn" }
  spec {
    selector { match_labels = { app = "burn" } }
    strategy { type = "RollingUpdate" }
    template {
      metadata { labels = { app = "burn" } }
      spec {
        container {
          name = "burn"
          image = "nvcr.io/nvidia/cuda:12.8.0-base-ubuntu22.04"
          command = ["nvidia-smi", "-l"]
          resources { limits = { "nvidia.com/gpu" = 1 } }
        }
      }
    }
  }
}
