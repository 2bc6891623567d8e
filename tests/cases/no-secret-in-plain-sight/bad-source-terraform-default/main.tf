resource "helm_release" "prom" {
  name       = "kube-prometheus-stack"
  repository = "https://prometheus-community.github.io/helm-charts"
  chart      = "kube-prometheus-stack"
  values = [yamlencode({ grafana = { adminPassword = var.grafana_admin_password } })]
}
