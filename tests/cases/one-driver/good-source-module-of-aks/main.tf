# A pool of the registry's module, to which the operator brings the driver, as AKS is told to leave it.
module "aks" {
  source  = "Azure/aks/azurerm"
  version = "10.2.0"

  cluster_name        = "models"
  resource_group_name = "models"
  location            = "westeurope"
  kubernetes_version  = "1.34"

  node_pools = {
    gpu = {
      name       = "gpu"
      vm_size    = "Standard_NC24ads_A100_v4"
      node_count = 1
      gpu_driver = "None"
    }
  }
}

resource "helm_release" "gpu_operator" {
  name       = "gpu-operator"
  namespace  = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.2"
}
