resource "helm_release" "prom" {
  name       = "kube-prometheus-stack"
  repository = "https://prometheus-community.github.io/helm-charts"
  chart      = "kube-prometheus-stack"
  version    = "65.1.0"
  set = [{
    name  = "grafana.adminPassword"
    value = "Sup3rS3cret!9x"
  }]
}
