# What terraform-aws-modules/eks/aws makes of what it is given: the cluster, and the groups of nodes.

locals {
  name    = try(var.given.name, var.given.cluster_name, null)
  version = try(var.given.kubernetes_version, var.given.cluster_version, null)
  creates = try(var.given.create, true)
  public  = try(var.given.endpoint_public_access, var.given.cluster_endpoint_public_access, var.by_version.public_endpoint)

  # The groups of the control plane and of the nodes.
  guards_cluster = local.creates && try(var.given.create_security_group, var.given.create_cluster_security_group, true)
  guards_nodes   = local.creates && try(var.given.create_node_security_group, true)
  cluster_doors  = local.guards_cluster ? aws_security_group.cluster[0].id : try(var.given.security_group_id, var.given.cluster_security_group_id, var.not_known)
  node_doors     = local.guards_nodes ? aws_security_group.node[0].id : try(var.given.node_security_group_id, "")

  from_cluster = { for port in concat([443, 10250], [for each in [4443, 6443, 8443, 9443] : each if local.recommended]) : "cluster_${port}" => {
    type = "ingress", protocol = "tcp", from_port = port, to_port = port, source_cluster_security_group = true
  } }
  from_nodes = {
    dns_tcp = { type = "ingress", protocol = "tcp", from_port = 53, to_port = 53, self = true }
    dns_udp = { type = "ingress", protocol = "udp", from_port = 53, to_port = 53, self = true }
  }
  recommended = try(var.given.node_security_group_enable_recommended_rules, true) && var.by_version.recommends
  recommends = { for name, each in {
    ephemeral = { type = "ingress", protocol = "tcp", from_port = 1025, to_port = 65535, self = true }
    out       = { type = "egress", protocol = "-1", from_port = 0, to_port = 0, cidr_blocks = ["0.0.0.0/0"] }
  } : name => each if local.recommended }
  outwards = { for name, each in {
    https   = { type = "egress", protocol = "tcp", from_port = 443, to_port = 443, cidr_blocks = ["0.0.0.0/0"] }
    out_tcp = { type = "egress", protocol = "tcp", from_port = 53, to_port = 53, self = true }
    out_udp = { type = "egress", protocol = "udp", from_port = 53, to_port = 53, self = true }
    ntp     = { type = "egress", protocol = "udp", from_port = 123, to_port = 123, cidr_blocks = ["0.0.0.0/0"] }
  } : name => each if !var.by_version.recommends }
  # Until 20 by an argument of the module itself, since 21 by that of each group.
  among_themselves = var.by_version.efa_of_groups ? false : try(var.given.enable_efa_support, false)
  efa = { for name, each in {
    efa_in  = { type = "ingress", protocol = "-1", from_port = 0, to_port = 0, self = true }
    efa_out = { type = "egress", protocol = "-1", from_port = 0, to_port = 0, self = true }
  } : name => each if local.among_themselves }

  handed_on = {
    cluster_name            = local.name
    kubernetes_version      = local.version
    subnet_ids              = try(var.given.subnet_ids, var.not_known)
    cluster_endpoint        = try(aws_eks_cluster.this[0].endpoint, "")
    cluster_auth_base64     = try(aws_eks_cluster.this[0].certificate_authority[0].data, "")
    cluster_service_cidr    = try(var.given.service_ipv4_cidr, var.given.cluster_service_ipv4_cidr, aws_eks_cluster.this[0].kubernetes_network_config[0].service_ipv4_cidr)
    node_security_group_id  = local.node_doors
    clusters_security_group = aws_eks_cluster.this[0].vpc_config[0].cluster_security_group_id
  }
}

resource "aws_security_group" "cluster" {
  count = local.guards_cluster ? 1 : 0

  name = "${local.name}-cluster"
}

resource "aws_security_group_rule" "cluster" {
  for_each = { for name, each in merge(
    { nodes = { type = "ingress", protocol = "tcp", from_port = 443, to_port = 443, source_node_security_group = true } },
    try(var.given.security_group_additional_rules, var.given.cluster_security_group_additional_rules, {}),
  ) : name => each if local.guards_cluster }

  security_group_id        = aws_security_group.cluster[0].id
  type                     = try(each.value.type, "ingress")
  protocol                 = try(each.value.protocol, "tcp")
  from_port                = each.value.from_port
  to_port                  = each.value.to_port
  cidr_blocks              = try(each.value.cidr_blocks, null)
  ipv6_cidr_blocks         = try(each.value.ipv6_cidr_blocks, null)
  prefix_list_ids          = try(each.value.prefix_list_ids, null)
  self                     = try(each.value.self, null)
  source_security_group_id = try(each.value.source_node_security_group, false) ? local.node_doors : try(each.value.source_security_group_id, null)
}

resource "aws_security_group" "node" {
  count = local.guards_nodes ? 1 : 0

  name = "${local.name}-node"
}

resource "aws_security_group_rule" "node" {
  for_each = { for name, each in merge(
    local.from_cluster, local.from_nodes, local.outwards, local.recommends, local.efa,
    try(var.given.node_security_group_additional_rules, {}),
  ) : name => each if local.guards_nodes }

  security_group_id        = aws_security_group.node[0].id
  type                     = try(each.value.type, "ingress")
  protocol                 = try(each.value.protocol, "tcp")
  from_port                = each.value.from_port
  to_port                  = each.value.to_port
  cidr_blocks              = try(each.value.cidr_blocks, null)
  ipv6_cidr_blocks         = try(each.value.ipv6_cidr_blocks, null)
  prefix_list_ids          = try(each.value.prefix_list_ids, null)
  self                     = try(each.value.self, null)
  source_security_group_id = try(each.value.source_cluster_security_group, false) ? local.cluster_doors : try(each.value.source_security_group_id, null)
}

resource "aws_eks_cluster" "this" {
  count = local.creates ? 1 : 0

  name    = local.name
  version = local.version

  vpc_config {
    endpoint_public_access = local.public
    public_access_cidrs    = try(var.given.endpoint_public_access_cidrs, var.given.cluster_endpoint_public_access_cidrs, ["0.0.0.0/0"])
    security_group_ids     = compact(concat(try(var.given.additional_security_group_ids, var.given.cluster_additional_security_group_ids, []), [local.cluster_doors]))
    subnet_ids             = try(var.given.subnet_ids, var.not_known)
  }
}

module "eks_managed_node_group" {
  source   = "./managed"
  for_each = { for name, group in try(var.given.eks_managed_node_groups, {}) : name => group if local.creates }

  given = merge(
    local.handed_on,
    { name = each.key, min_size = 1 },
    try(var.given.eks_managed_node_group_defaults, {}),
    each.value,
  )
  among_themselves = local.among_themselves
  by_version       = var.by_version
  not_known  = var.not_known
}

module "self_managed_node_group" {
  source   = "./self_managed"
  for_each = { for name, group in try(var.given.self_managed_node_groups, {}) : name => group if local.creates }

  given = merge(
    local.handed_on,
    { name = each.key },
    try(var.given.self_managed_node_group_defaults, {}),
    each.value,
  )
  by_version = {
    ami_type           = var.by_version.self_managed_ami_type
    least              = var.by_version.self_managed_least
    hop_limit          = var.by_version.hop_limit
    metadata_completed = var.by_version.metadata_completed
    knows_al2023       = var.by_version.knows_al2023
    efa_of_groups      = var.by_version.efa_of_groups
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

output "cluster_certificate_authority_data" {
  value = aws_eks_cluster.this[0].certificate_authority[0].data
}

output "node_security_group_id" {
  value = local.node_doors
}

output "cluster_security_group_id" {
  value = local.cluster_doors
}

output "cluster_primary_security_group_id" {
  value = aws_eks_cluster.this[0].vpc_config[0].cluster_security_group_id
}
