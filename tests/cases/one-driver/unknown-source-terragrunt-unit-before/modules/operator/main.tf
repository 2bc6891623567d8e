variable "brings_driver" {
  type = bool
}

resource "helm_release" "gpu_operator" {
  name       = "gpu-operator"
  namespace  = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.4"

  values = [yamlencode({
    driver  = { enabled = var.brings_driver }
    toolkit = { enabled = false }
  })]
}
