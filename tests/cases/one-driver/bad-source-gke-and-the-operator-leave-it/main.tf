# GKE is told to install no driver, and the operator is told that there is one.
resource "google_container_node_pool" "serve" {
  name       = "serve"
  cluster    = "models"
  node_count = 1

  node_config {
    image_type   = "UBUNTU_CONTAINERD"
    machine_type = "g2-standard-8"
    labels       = { "gke-no-default-nvidia-gpu-device-plugin" = "true" }

    guest_accelerator {
      type  = "nvidia-l4"
      count = 1
      gpu_driver_installation_config {
        gpu_driver_version = "INSTALLATION_DISABLED"
      }
    }
  }
}

variable "operators_driver" {
  type    = bool
  default = false
}

resource "helm_release" "gpu_operator" {
  name       = "gpu-operator"
  namespace  = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.2"

  set {
    name  = "driver.enabled"
    value = var.operators_driver
  }
}
