resource "aws_eks_cluster" "hub" {
  name     = "hub"
  version  = "1.32"
  role_arn = "arn:aws:iam::111122223333:role/hub"
  vpc_config {
    subnet_ids = ["subnet-1", "subnet-2"]
  }
}

resource "aws_eks_node_group" "each" {
  for_each        = { core = "m6i.large", gpu = "g4dn.xlarge" }
  cluster_name    = aws_eks_cluster.hub.name
  node_group_name = each.key
  node_role_arn   = "arn:aws:iam::111122223333:role/node"
  subnet_ids      = ["subnet-1"]
  instance_types  = [each.value]
  ami_type        = "AL2_x86_64"
  scaling_config {
    min_size     = 1
    max_size     = 1
    desired_size = 1
  }
}

resource "kubernetes_daemonset" "plugin" {
  metadata {
    name      = "nvidia-device-plugin"
    namespace = "kube-system"
  }
  spec {
    template {
      spec {
        affinity {
          node_affinity {
            required_during_scheduling_ignored_during_execution {
              node_selector_term {
                match_expressions {
                  key      = "eks.amazonaws.com/nodegroup"
                  operator = "In"
                  values   = ["gpu"]
                }
              }
            }
          }
        }
        container {
          name  = "nvidia-device-plugin-ctr"
          image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1"
          volume_mount {
            name       = "device-plugin"
            mount_path = "/var/lib/kubelet/device-plugins"
          }
        }
        volume {
          name = "device-plugin"
          host_path {
            path = "/var/lib/kubelet/device-plugins"
          }
        }
      }
    }
  }
}
