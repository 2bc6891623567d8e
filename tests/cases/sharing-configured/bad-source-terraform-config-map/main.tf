resource "helm_release" "gpu_operator" {
  name = "gpu-operator"
  namespace = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart = "gpu-operator"
  version = "v25.3.0"
  values = [yamlencode({
    devicePlugin = {
      config = { name = "time-slicing", default = "any" }
    }
  })]
}
resource "kubernetes_config_map" "ts" {
  metadata {
    name = "time-slicing"
    namespace = "gpu-operator"
  }
  data = {
    "tesla" = yamlencode({
      version = "v1"
      sharing = { timeSlicing = { resources = [{ name = "nvidia.com/gpu", replicas = 4 }] } }
    })
  }
}
