variable "strategy" {
  type = string
}

resource "helm_release" "operator" {
  name       = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v24.9.0"
  namespace  = "gpu-operator"
  values = [yamlencode({
    mig        = { strategy = var.strategy }
    migManager = { enabled = true, config = { default = "all-balanced" } }
  })]
}
