# The groups share an image by default, of which one has the driver for itself.
module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "20.34.0"

  cluster_name    = "serve"
  cluster_version = "1.34"
  eks_managed_node_group_defaults = {
    ami_type = "AL2023_x86_64_STANDARD"
  }
  eks_managed_node_groups = {
    cpu      = { instance_types = ["m6i.large"] }
    serving  = { instance_types = ["g6.2xlarge"] }
    training = { instance_types = ["g6.48xlarge"], ami_type = "AL2023_x86_64_NVIDIA" }
  }
}

resource "helm_release" "plugin" {
  name       = "nvidia-device-plugin"
  namespace  = "kube-system"
  repository = "https://nvidia.github.io/k8s-device-plugin"
  chart      = "nvidia-device-plugin"
  version    = "0.17.1"
}
