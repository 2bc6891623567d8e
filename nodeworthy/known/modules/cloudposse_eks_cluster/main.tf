# What cloudposse/eks-cluster/aws makes: the cluster. Its name is put together of the context that it is given.

locals {
  creates = try(var.given.enabled, var.given.context.enabled, true)
}

resource "aws_eks_cluster" "default" {
  count = local.creates ? 1 : 0

  name    = var.not_known
  version = try(var.given.kubernetes_version, "1.21")

  vpc_config {
    endpoint_public_access = try(var.given.endpoint_public_access, true)
    public_access_cidrs    = try(var.given.public_access_cidrs, ["0.0.0.0/0"])
    security_group_ids     = try(var.given.associated_security_group_ids, [])
    subnet_ids             = try(var.given.subnet_ids, var.not_known)
  }
}

output "eks_cluster_id" {
  value = aws_eks_cluster.default[0].id
}

output "eks_cluster_version" {
  value = aws_eks_cluster.default[0].version
}

output "eks_cluster_endpoint" {
  value = aws_eks_cluster.default[0].endpoint
}

output "eks_cluster_certificate_authority_data" {
  value = aws_eks_cluster.default[0].certificate_authority[0].data
}

output "eks_cluster_managed_security_group_id" {
  value = aws_eks_cluster.default[0].vpc_config[0].cluster_security_group_id
}
