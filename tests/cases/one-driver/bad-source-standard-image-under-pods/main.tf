# Since 21 the module takes EKS' standard image where nobody names one, which has no driver.
module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name               = "serve"
  kubernetes_version = "1.33"
  eks_managed_node_groups = {
    gpu = {
      instance_types = ["g6.2xlarge"]
    }
  }
}

resource "helm_release" "plugin" {
  name       = "nvidia-device-plugin"
  namespace  = "kube-system"
  repository = "https://nvidia.github.io/k8s-device-plugin"
  chart      = "nvidia-device-plugin"
  version    = "0.17.1"
}

resource "kubernetes_deployment_v1" "llm" {
  metadata {
    name = "llm"
  }
  spec {
    selector {
      match_labels = { app = "llm" }
    }
    template {
      metadata {
        labels = { app = "llm" }
      }
      spec {
        container {
          name  = "vllm"
          image = "vllm/vllm-openai:v0.8.5"
          resources {
            limits = { "nvidia.com/gpu" = 1 }
          }
        }
      }
    }
  }
}
