variable "retention" {
  type    = string
  default = "10d"
}

resource "helm_release" "monitoring" {
  name       = "monitoring"
  repository = "https://prometheus-community.github.io/helm-charts"
  chart      = "kube-prometheus-stack"
  version    = "79.5.0"
  namespace  = "monitoring"
  values     = [templatefile("${path.module}/monitoring.yaml", { retention = var.retention })]
}
