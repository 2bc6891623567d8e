module "eks" {
  source          = "terraform-aws-modules/eks/aws"
  version         = "~> 20.24"
  cluster_name    = "ml"
  cluster_version = "1.33"
  vpc_id          = "vpc-1"
  subnet_ids      = ["subnet-1"]
}
resource "kubectl_manifest" "class" {
  yaml_body = <<-YAML
    apiVersion: karpenter.k8s.aws/v1
    kind: EC2NodeClass
    metadata:
      name: gpu
    spec:
      role: x
      amiSelectorTerms:
        - alias: al2@latest
      subnetSelectorTerms: [{tags: {karpenter.sh/discovery: ml}}]
      securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: ml}}]
  YAML
}
resource "kubectl_manifest" "pool" {
  yaml_body = <<-YAML
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {name: gpu}
    spec:
      template:
        spec:
          nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
          requirements:
            - {key: node.kubernetes.io/instance-type, operator: In, values: [g5.12xlarge]}
      limits: {cpu: 1000}
  YAML
}
