# What terraform-aws-modules/security-group/aws makes: a group and its rules, each by itself or by a name that it knows.

locals {
  creates = try(var.given.create, true)
  group   = try(var.given.create_sg, true) ? aws_security_group.this[0].id : try(var.given.security_group_id, "")
  # Those that nodes have; any other one is not known here.
  rules = {
    all-all             = [0, 0, "-1"]
    all-tcp             = [0, 65535, "tcp"]
    all-udp             = [0, 65535, "udp"]
    all-icmp            = [-1, -1, "icmp"]
    dns-tcp             = [53, 53, "tcp"]
    dns-udp             = [53, 53, "udp"]
    grafana-tcp         = [3000, 3000, "tcp"]
    http-80-tcp         = [80, 80, "tcp"]
    http-8080-tcp       = [8080, 8080, "tcp"]
    https-443-tcp       = [443, 443, "tcp"]
    https-8443-tcp      = [8443, 8443, "tcp"]
    kubernetes-api-tcp  = [6443, 6443, "tcp"]
    nfs-tcp             = [2049, 2049, "tcp"]
    prometheus-http-tcp = [9090, 9090, "tcp"]
    ssh-tcp             = [22, 22, "tcp"]
  }
  sides = {
    ingress = {
      named  = try(var.given.ingress_rules, [])
      blocks = try(var.given.ingress_cidr_blocks, [])
      ipv6   = try(var.given.ingress_ipv6_cidr_blocks, [])
      cidr   = try(var.given.ingress_with_cidr_blocks, [])
      six    = try(var.given.ingress_with_ipv6_cidr_blocks, [])
      self   = try(var.given.ingress_with_self, [])
      from   = concat(try(var.given.ingress_with_source_security_group_id, []), try(var.given.computed_ingress_with_source_security_group_id, []))
    }
    egress = {
      named  = try(var.given.egress_rules, [])
      blocks = try(var.given.egress_cidr_blocks, ["0.0.0.0/0"])
      ipv6   = try(var.given.egress_ipv6_cidr_blocks, ["::/0"])
      cidr   = try(var.given.egress_with_cidr_blocks, [])
      six    = try(var.given.egress_with_ipv6_cidr_blocks, [])
      self   = try(var.given.egress_with_self, [])
      from   = concat(try(var.given.egress_with_source_security_group_id, []), try(var.given.computed_egress_with_source_security_group_id, []))
    }
  }
  all = flatten([for side, said in local.sides : concat(
    [for each in said.named : { side = side, of = { rule = each }, cidr_blocks = said.blocks, ipv6_cidr_blocks = said.ipv6 }],
    [for each in said.cidr : { side = side, of = each, cidr_blocks = split(",", try(each.cidr_blocks, join(",", said.blocks))) }],
    [for each in said.six : { side = side, of = each, ipv6_cidr_blocks = split(",", try(each.ipv6_cidr_blocks, join(",", said.ipv6))) }],
    [for each in said.self : { side = side, of = try({ rule = tostring(each) }, each), self = true }],
    [for each in said.from : { side = side, of = each, source = try(each.source_security_group_id, var.not_known) }],
  )])
}

resource "aws_security_group" "this" {
  count = local.creates && try(var.given.create_sg, true) ? 1 : 0

  name   = try(var.given.name, "")
  vpc_id = try(var.given.vpc_id, null)
}

resource "aws_security_group_rule" "this" {
  count = local.creates ? length(local.all) : 0

  security_group_id        = local.group
  type                     = local.all[count.index].side
  from_port                = try(local.all[count.index].of.from_port, local.rules[local.all[count.index].of.rule][0], var.not_known)
  to_port                  = try(local.all[count.index].of.to_port, local.rules[local.all[count.index].of.rule][1], var.not_known)
  protocol                 = try(local.all[count.index].of.protocol, local.rules[local.all[count.index].of.rule][2], var.not_known)
  cidr_blocks              = try(local.all[count.index].cidr_blocks, null)
  ipv6_cidr_blocks         = try(local.all[count.index].ipv6_cidr_blocks, null)
  self                     = try(local.all[count.index].self, null)
  source_security_group_id = try(local.all[count.index].source, null)
}

output "security_group_id" {
  value = local.group
}
