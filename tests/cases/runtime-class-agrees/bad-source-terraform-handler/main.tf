resource "kubernetes_runtime_class_v1" "nvidia" {
  metadata { name = "nvidia" }
  handler = "nvidia-container-runtime"
}
resource "kubernetes_pod_v1" "x" {
  metadata { name = "x" }
  spec {
    runtime_class_name = "nvidia"
    container {
      name = "x"
      image = "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04"
      resources { limits = { "nvidia.com/gpu" = "1" } }
    }
  }
}
resource "helm_release" "gpu_operator" {
  name = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart = "gpu-operator"
  version = "v25.3.0"
}
