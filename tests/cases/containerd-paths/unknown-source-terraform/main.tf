variable "socket" {
  type = string
}

resource "aws_eks_node_group" "gpu" {
  cluster_name   = "gpu"
  ami_type       = "AL2023_x86_64_NVIDIA"
  instance_types = ["p5.48xlarge"]
}

resource "helm_release" "gpu_operator" {
  chart   = "gpu-operator"
  name    = "gpu-operator"
  version = "v25.3.4"
  values = [<<-YAML
    driver:
      enabled: false
    toolkit:
      env:
        - name: CONTAINERD_SOCKET
          value: ${var.socket}
  YAML
  ]
}
