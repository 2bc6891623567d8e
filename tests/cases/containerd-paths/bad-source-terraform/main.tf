variable "socket" {
  default = "/run/k3s/containerd/containerd.sock"
}

module "nodes" {
  source = "./modules/nodes"
  types  = { a10g = "g5.xlarge" }
}

resource "helm_release" "gpu_operator" {
  name       = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.4"

  values = [templatefile("${path.module}/values.yaml.tftpl", { driver = false })]

  set {
    name  = "toolkit.env[0].name"
    value = "CONTAINERD_SOCKET"
  }
  set {
    name  = "toolkit.env[0].value"
    value = var.socket
  }
}
