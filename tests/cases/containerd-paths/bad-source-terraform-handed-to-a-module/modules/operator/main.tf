variable "image" {}
variable "socket" {}

resource "aws_eks_node_group" "gpu" {
  cluster_name   = "training"
  ami_type       = var.image
  instance_types = ["g5.xlarge"]
}

resource "helm_release" "gpu_operator" {
  name       = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.0"
  set {
    name  = "driver.enabled"
    value = "false"
  }
  set {
    name  = "toolkit.env[0].name"
    value = "CONTAINERD_SOCKET"
  }
  set {
    name  = "toolkit.env[0].value"
    value = var.socket
  }
}
