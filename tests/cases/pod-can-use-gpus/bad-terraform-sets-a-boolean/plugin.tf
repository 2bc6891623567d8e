resource "helm_release" "nvidia_device_plugin" {
  name       = "nvidia-device-plugin"
  repository = "https://nvidia.github.io/k8s-device-plugin"
  chart      = "nvidia-device-plugin"
  namespace  = "kube-system"
  version    = "0.18.2"

  set {
    name  = "nodeSelector.nvidia\\.com/gpu"
    value = "true"
  }

  set {
    name  = "podAnnotations.checked"
    value = "true"
    type  = "string"
  }
}
