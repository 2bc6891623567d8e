resource "kubernetes_resource_quota_v1" "research" {
  metadata {
    name      = "gpus"
    namespace = "research"
  }
  spec {
    hard = {
      pods             = 40
      "nvidia.com/gpu" = 4
    }
  }
}

resource "kubernetes_resource_quota" "teaching" {
  metadata {
    name      = "gpus"
    namespace = "teaching"
  }
  spec {
    hard = {
      "requests.nvidia.com/gpu" = 4
    }
  }
}
