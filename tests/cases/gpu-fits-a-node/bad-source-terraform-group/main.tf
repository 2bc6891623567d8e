module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"
  name    = "train"
  kubernetes_version = "1.33"
  eks_managed_node_groups = {
    gpu = {
      ami_type       = "AL2023_x86_64_NVIDIA"
      instance_types = ["g5.12xlarge"]
    }
  }
}
resource "kubectl_manifest" "train" {
  yaml_body = templatefile("${path.module}/job.yaml.tpl", { gpus = 8 })
}
