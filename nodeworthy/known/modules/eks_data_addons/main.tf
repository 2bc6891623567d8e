# What aws-ia/eks-data-addons/aws installs of which rules ask: NVIDIA's operator and its device plugin, and pools of Karpenter's.

locals {
  operator = try(var.given.nvidia_gpu_operator_helm_config, {})
  plugin   = try(var.given.nvidia_device_plugin_helm_config, {})
}

resource "helm_release" "nvidia_gpu_operator" {
  count = try(var.given.enable_nvidia_gpu_operator, false) ? 1 : 0

  name          = try(local.operator.name, "nvidia-gpu-operator")
  namespace     = try(local.operator.namespace, "gpu-operator")
  chart         = try(local.operator.chart, "gpu-operator")
  version       = try(local.operator.version, var.not_known)
  values        = try(local.operator.values, [])
  set           = try(local.operator.set, [])
  set_sensitive = try(local.operator.set_sensitive, [])
}

resource "helm_release" "nvidia_device_plugin" {
  count = try(var.given.enable_nvidia_device_plugin, false) ? 1 : 0

  name          = try(local.plugin.name, "neuron-device-plugin")
  namespace     = try(local.plugin.namespace, "nvidia-device-plugin")
  chart         = try(local.plugin.chart, "nvidia-device-plugin")
  version       = try(local.plugin.version, var.not_known)
  values        = try(local.plugin.values, [])
  set           = try(local.plugin.set, [])
  set_sensitive = try(local.plugin.set_sensitive, [])
}

resource "helm_release" "karpenter_resources" {
  for_each = { for name, said in try(var.given.karpenter_resources_helm_config, {}) : name => said if try(var.given.enable_karpenter_resources, false) }

  name          = try(each.value.name, each.key)
  chart         = "karpenter-resources"
  version       = try(each.value.version, var.not_known)
  values        = try(each.value.values, [])
  set           = try(each.value.set, [])
  set_sensitive = try(each.value.set_sensitive, [])
}
