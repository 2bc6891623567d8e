# What terraform-aws-modules/vpc/aws makes of which rules ask: the network and its subnets.

locals {
  creates = try(var.given.create_vpc, true)
  azs     = try(var.given.azs, [])
}

resource "aws_vpc" "this" {
  count = local.creates ? 1 : 0

  cidr_block = try(var.given.cidr, "10.0.0.0/16")
}

resource "aws_subnet" "private" {
  count = local.creates ? length(try(var.given.private_subnets, [])) : 0

  vpc_id            = aws_vpc.this[0].id
  cidr_block        = var.given.private_subnets[count.index]
  availability_zone = try(element(local.azs, count.index), var.not_known)
}

resource "aws_subnet" "public" {
  count = local.creates ? length(try(var.given.public_subnets, [])) : 0

  vpc_id            = aws_vpc.this[0].id
  cidr_block        = var.given.public_subnets[count.index]
  availability_zone = try(element(local.azs, count.index), var.not_known)
}

resource "aws_subnet" "intra" {
  count = local.creates ? length(try(var.given.intra_subnets, [])) : 0

  vpc_id            = aws_vpc.this[0].id
  cidr_block        = var.given.intra_subnets[count.index]
  availability_zone = try(element(local.azs, count.index), var.not_known)
}

output "vpc_id" {
  value = aws_vpc.this[0].id
}

output "vpc_cidr_block" {
  value = aws_vpc.this[0].cidr_block
}

output "azs" {
  value = local.azs
}

output "private_subnets" {
  value = aws_subnet.private[*].id
}

output "public_subnets" {
  value = aws_subnet.public[*].id
}

output "intra_subnets" {
  value = aws_subnet.intra[*].id
}
