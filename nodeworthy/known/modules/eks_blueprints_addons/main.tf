# What aws-ia/eks-blueprints-addons/aws installs of which rules ask: the releases that it is handed.

resource "helm_release" "this" {
  for_each = try(var.given.helm_releases, {})

  name          = try(each.value.name, each.key)
  namespace     = try(each.value.namespace, null)
  chart         = each.value.chart
  version       = try(each.value.chart_version, null)
  repository    = try(each.value.repository, null)
  values        = try(each.value.values, [])
  set           = try(each.value.set, [])
  set_sensitive = try(each.value.set_sensitive, [])
}

resource "helm_release" "kube_prometheus_stack" {
  count = try(var.given.enable_kube_prometheus_stack, false) ? 1 : 0

  name          = try(var.given.kube_prometheus_stack.name, "kube-prometheus-stack")
  namespace     = try(var.given.kube_prometheus_stack.namespace, "kube-prometheus-stack")
  chart         = "kube-prometheus-stack"
  version       = try(var.given.kube_prometheus_stack.chart_version, var.not_known)
  values        = try(var.given.kube_prometheus_stack.values, [])
  set           = try(var.given.kube_prometheus_stack.set, [])
  set_sensitive = try(var.given.kube_prometheus_stack.set_sensitive, [])
}
