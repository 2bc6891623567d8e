# What terraform-aws-modules/eks/aws makes of what it is given: the cluster, and the groups of nodes.

locals {
  name    = try(var.given.name, var.given.cluster_name, null)
  version = try(var.given.kubernetes_version, var.given.cluster_version, null)
  creates = try(var.given.create, true)
  public  = try(var.given.endpoint_public_access, var.given.cluster_endpoint_public_access, var.by_version.public_endpoint)
}

resource "aws_eks_cluster" "this" {
  count = local.creates ? 1 : 0

  name    = local.name
  version = local.version

  vpc_config {
    endpoint_public_access = local.public
    public_access_cidrs    = try(var.given.endpoint_public_access_cidrs, var.given.cluster_endpoint_public_access_cidrs, ["0.0.0.0/0"])
    security_group_ids     = var.not_known
    subnet_ids             = try(var.given.subnet_ids, var.not_known)
  }
}

module "eks_managed_node_group" {
  source   = "./managed"
  for_each = { for name, group in try(var.given.eks_managed_node_groups, {}) : name => group if local.creates }

  given = merge(
    { name = each.key, cluster_name = local.name, kubernetes_version = local.version, subnet_ids = try(var.given.subnet_ids, var.not_known), min_size = 1 },
    try(var.given.eks_managed_node_group_defaults, {}),
    each.value,
  )
  by_version = var.by_version
  not_known  = var.not_known
}

module "self_managed_node_group" {
  source   = "./self_managed"
  for_each = { for name, group in try(var.given.self_managed_node_groups, {}) : name => group if local.creates }

  given = merge(
    { name = each.key, cluster_name = local.name, kubernetes_version = local.version, subnet_ids = try(var.given.subnet_ids, var.not_known) },
    try(var.given.self_managed_node_group_defaults, {}),
    each.value,
  )
  by_version = {
    ami_type           = var.by_version.self_managed_ami_type
    least              = var.by_version.self_managed_least
    hop_limit          = var.by_version.hop_limit
    metadata_completed = var.by_version.metadata_completed
  }
  not_known = var.not_known
}

output "cluster_name" {
  value = aws_eks_cluster.this[0].name
}

output "cluster_id" {
  value = aws_eks_cluster.this[0].id
}

output "cluster_version" {
  value = aws_eks_cluster.this[0].version
}

output "cluster_endpoint" {
  value = aws_eks_cluster.this[0].endpoint
}
