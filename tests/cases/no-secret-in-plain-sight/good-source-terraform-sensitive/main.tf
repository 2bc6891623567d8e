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
resource "null_resource" "driver" {
  connection {
    type        = "ssh"
    user        = "ubuntu"
    host        = "10.0.4.17"
    private_key = file("/Users/ops/keys/gpu-node-1.pem")
  }
}
resource "helm_release" "agent" {
  name   = "agent"
  chart  = "oci://registry.example.com/charts/agent"
  values = [<<-EOT
    agent:
      apiKey: "abc_00000000000000000000000000000000"
  EOT
  ]
}
resource "rke_cluster" "edge" {
  dynamic "private_registries" {
    for_each = var.registries
    content {
      url      = lookup(private_registries.value, "url")
      password = lookup(private_registries.value, "password", null)
      token    = element(split("bearer-7f3a", var.header), 1)
    }
  }
}
variable "hub_token" {
  default = "input token here"
}
locals {
  grafana_password = var.monitored ? data.kubernetes_secret.grafana[0].data.password : "Grafana_Not_Deployed"
}
