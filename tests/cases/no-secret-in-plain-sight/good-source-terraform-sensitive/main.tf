variable "grafana_password" {
  type      = string
  sensitive = true
}
resource "helm_release" "prom" {
  name       = "kube-prometheus-stack"
  repository = "https://prometheus-community.github.io/helm-charts"
  chart      = "kube-prometheus-stack"
  version    = "65.1.0"
  set_sensitive {
    name  = "grafana.adminPassword"
    value = var.grafana_password
  }
}
