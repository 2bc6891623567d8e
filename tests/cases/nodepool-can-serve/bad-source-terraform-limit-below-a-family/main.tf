resource "kubernetes_manifest" "pool" {
  manifest = yamldecode(<<-EOT
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {name: gpu}
    spec:
      template:
        spec:
          nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
          requirements:
            - {key: karpenter.k8s.aws/instance-family, operator: In, values: [g5]}
            - {key: karpenter.k8s.aws/instance-gpu-count, operator: In, values: ["4"]}
      limits: {nvidia.com/gpu: 2}
  EOT
  )
}
resource "kubernetes_manifest" "pod" {
  manifest = {
    apiVersion = "v1"
    kind = "Pod"
    metadata = { name = "a", namespace = "default" }
    spec = {
      restartPolicy = "Never"
      containers = [{ name = "a", image = "nvcr.io/nvidia/pytorch:25.01-py3", resources = { limits = { "nvidia.com/gpu" = 4 } } }]
    }
  }
}
