locals {
  socket = "/run/containerd/containerd.sock"
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.0"

  eks_managed_node_group_defaults = { instance_types = ["g5.xlarge"] }
  eks_managed_node_groups = {
    gpu = { ami_type = "AL2023_x86_64_NVIDIA" }
    cpu = { ami_type = "AL2023_x86_64_STANDARD", instance_types = ["m7i.large"] }
  }
}

resource "helm_release" "gpu_operator" {
  chart   = "gpu-operator"
  name    = "gpu-operator"
  version = "v25.3.4"
  values = [yamlencode({
    driver  = { enabled = false }
    toolkit = { env = [{ name = "CONTAINERD_SOCKET", value = local.socket }] }
  })]
}
