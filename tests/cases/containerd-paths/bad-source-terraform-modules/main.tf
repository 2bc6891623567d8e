module "cluster" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.3"

  name               = "research"
  kubernetes_version = "1.34"

  self_managed_node_groups = {
    system  = { ami_type = "BOTTLEROCKET_x86_64", instance_type = "m7i.xlarge" }
    trainer = { ami_type = "AL2023_x86_64_NVIDIA", instance_type = "p5.48xlarge" }
  }
}

module "addons" {
  source  = "aws-ia/eks-data-addons/aws"
  version = "~> 1.38"

  oidc_provider_arn          = module.cluster.oidc_provider_arn
  enable_nvidia_gpu_operator = true
  nvidia_gpu_operator_helm_config = {
    values = [yamlencode({ driver = { enabled = false } })]
    set = [
      { name = "toolkit.env[0].name", value = "CONTAINERD_SOCKET" },
      { name = "toolkit.env[0].value", value = "/run/k3s/containerd/containerd.sock" },
    ]
  }
}
