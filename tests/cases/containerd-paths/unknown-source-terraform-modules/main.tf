module "cluster" {
  source = "terraform-aws-modules/eks/aws"

  cluster_name            = "research"
  eks_managed_node_groups = { trainer = { instance_types = ["p5.48xlarge"] } }
}

module "addons" {
  source = "aws-ia/eks-blueprints-addons/aws"

  cluster_name = module.cluster.cluster_name
  helm_releases = {
    operator = {
      chart         = "gpu-operator"
      chart_version = "v25.3.4"
      values = [<<-EOT
        driver:
          enabled: false
        toolkit:
          env:
            - name: CONTAINERD_SOCKET
              value: /run/k3s/containerd/containerd.sock
      EOT
      ]
    }
  }
}
