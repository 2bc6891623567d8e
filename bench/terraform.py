"""A root of Terraform as a platform keeps one, for an EKS cluster with GPU nodes: ten files, three hundred lines, all
of it right. And repositories of many such roots, beside modules that nobody calls."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench.measure import nodeworthy_cpu_ms

# A root and the modules of its repository that have nothing to do with nodes.
FILES_A_ROOT, FILES_BESIDE = 10, 30
SMALL, LARGE = 200, 5_000
EXITS = (0, 1, 3)


def root_ms(folder: Path, times: int = 10) -> float:
    return _cpu_ms(roots(folder, FILES_A_ROOT), times)


def repository_ms(folder: Path) -> float:
    return _cpu_ms(roots(folder, SMALL), 3)


def growth(folder: Path) -> float:
    """What a file of a large repository computes for what one of a small takes 1; what it takes to start is not
    counted."""
    alone = root_ms(folder, 3)
    few, many = _cpu_ms(roots(folder, SMALL), 3) - alone, _cpu_ms(roots(folder, LARGE), 1) - alone
    return (many / LARGE) / (few / SMALL)


def _cpu_ms(below: Path, times: int) -> float:
    return nodeworthy_cpu_ms("check", ".", "--no-cache", cwd=below, exits=EXITS, times=times)


@cache
def roots(folder: Path, files: int) -> Path:
    below = folder / f"terraform-{files}"
    (below / ".git").mkdir(parents=True)
    for first in range(0, files, FILES_A_ROOT + FILES_BESIDE):
        number = first // (FILES_A_ROOT + FILES_BESIDE)
        _write(below / f"stacks/region-{number:03}", ROOT, number)
        for each in range(min(FILES_BESIDE, files - first - FILES_A_ROOT)):
            _write(below / f"modules/network-{number:03}-{each:02}", {"main.tf": BESIDE}, each)
    return below


def _write(folder: Path, files: dict[str, str], number: int) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text.replace("@NUMBER@", str(number)), encoding="utf-8")


ROOT = {
    "versions.tf": """\
terraform {
  required_version = ">= 1.9"

  required_providers {
    aws        = { source = "hashicorp/aws", version = "~> 6.0" }
    helm       = { source = "hashicorp/helm", version = "~> 3.0" }
    kubernetes = { source = "hashicorp/kubernetes", version = "~> 2.38" }
  }

  backend "s3" {
    bucket = "platform-state"
    key    = "clusters/research-@NUMBER@.tfstate"
    region = "us-east-2"
  }
}
""",
    "providers.tf": """\
provider "aws" {
  region = var.region

  default_tags {
    tags = local.tags
  }
}

data "aws_eks_cluster_auth" "this" {
  name = aws_eks_cluster.this.name
}

provider "helm" {
  kubernetes = {
    host                   = aws_eks_cluster.this.endpoint
    cluster_ca_certificate = base64decode(aws_eks_cluster.this.certificate_authority[0].data)
    token                  = data.aws_eks_cluster_auth.this.token
  }
}
""",
    "variables.tf": """\
variable "region" {
  type        = string
  description = "Where the cluster runs."
  default     = "us-east-2"
}

variable "name" {
  type    = string
  default = "research-@NUMBER@"
}

variable "kubernetes_version" {
  type    = string
  default = "1.33"
}

variable "cidr" {
  type    = string
  default = "10.20.0.0/16"
}

variable "pools" {
  description = "The groups of GPU nodes."

  type = map(object({
    instance_type = string
    nodes         = number
    disk_gb       = optional(number, 200)
  }))

  default = {
    l40s = { instance_type = "g6e.12xlarge", nodes = 2 }
    t4   = { instance_type = "g4dn.12xlarge", nodes = 4, disk_gb = 300 }
  }

  validation {
    condition     = alltrue([for pool in var.pools : pool.nodes > 0])
    error_message = "A pool has a node at least."
  }
}
""",
    "locals.tf": """\
locals {
  zones = slice(data.aws_availability_zones.open.names, 0, 3)

  tags = {
    Team    = "research"
    Cluster = var.name
    Managed = "terraform"
  }

  subnets = { for at, zone in ["a", "b", "c"] : zone => cidrsubnet(var.cidr, 4, at) }
}

data "aws_availability_zones" "open" {
  state = "available"
}

resource "aws_ebs_encryption_by_default" "this" {
  enabled = true
}
""",
    "network.tf": """\
resource "aws_vpc" "this" {
  cidr_block           = var.cidr
  enable_dns_hostnames = true
  enable_dns_support   = true
  tags                 = merge(local.tags, { Name = var.name })
}

resource "aws_subnet" "private" {
  for_each          = local.subnets
  vpc_id            = aws_vpc.this.id
  cidr_block        = each.value
  availability_zone = "${var.region}${each.key}"

  tags = merge(local.tags, {
    Name                              = "${var.name}-private-${each.key}"
    "kubernetes.io/role/internal-elb" = "1"
  })
}

resource "aws_eip" "nat" {
  domain = "vpc"
}

resource "aws_route_table" "private" {
  vpc_id = aws_vpc.this.id

  route {
    cidr_block     = "0.0.0.0/0"
    nat_gateway_id = aws_nat_gateway.this.id
  }
}

resource "aws_nat_gateway" "this" {
  allocation_id = aws_eip.nat.id
  subnet_id     = aws_subnet.private["a"].id
}

resource "aws_route_table_association" "private" {
  for_each       = aws_subnet.private
  subnet_id      = each.value.id
  route_table_id = aws_route_table.private.id
}
""",
    "iam.tf": """\
data "aws_iam_policy_document" "assume" {
  for_each = toset(["eks", "ec2"])

  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["${each.key}.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "cluster" {
  name               = "${var.name}-cluster"
  assume_role_policy = data.aws_iam_policy_document.assume["eks"].json
}

resource "aws_iam_role" "node" {
  name               = "${var.name}-node"
  assume_role_policy = data.aws_iam_policy_document.assume["ec2"].json
}

resource "aws_iam_role_policy_attachment" "cluster" {
  role       = aws_iam_role.cluster.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
}

resource "aws_iam_role_policy_attachment" "node" {
  for_each = toset([
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryReadOnly",
    "AmazonSSMManagedInstanceCore",
  ])

  role       = aws_iam_role.node.name
  policy_arn = "arn:aws:iam::aws:policy/${each.key}"
}
""",
    "cluster.tf": """\
resource "aws_eks_cluster" "this" {
  name     = var.name
  version  = var.kubernetes_version
  role_arn = aws_iam_role.cluster.arn

  access_config {
    authentication_mode = "API"
  }

  vpc_config {
    subnet_ids              = [for subnet in aws_subnet.private : subnet.id]
    endpoint_private_access = true
    endpoint_public_access  = false
  }

  depends_on = [aws_iam_role_policy_attachment.cluster]
}

resource "aws_eks_node_group" "system" {
  cluster_name    = aws_eks_cluster.this.name
  node_group_name = "system"
  node_role_arn   = aws_iam_role.node.arn
  subnet_ids      = values(aws_subnet.private)[*].id
  instance_types  = ["m7i.xlarge"]

  scaling_config {
    desired_size = 3
    min_size     = 3
    max_size     = 6
  }
}

resource "aws_eks_addon" "these" {
  for_each     = toset(["vpc-cni", "coredns", "kube-proxy"])
  cluster_name = aws_eks_cluster.this.name
  addon_name   = each.key
}
""",
    "nodes.tf": """\
resource "aws_launch_template" "gpu" {
  for_each    = var.pools
  name_prefix = "${var.name}-${each.key}-"

  block_device_mappings {
    device_name = "/dev/xvda"

    ebs {
      volume_size = each.value.disk_gb
      volume_type = "gp3"
      encrypted   = true
    }
  }

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  tag_specifications {
    resource_type = "instance"
    tags          = merge(local.tags, { Name = "${var.name}-${each.key}" })
  }
}

resource "aws_eks_node_group" "gpu" {
  for_each        = var.pools
  cluster_name    = aws_eks_cluster.this.name
  node_group_name = each.key
  node_role_arn   = aws_iam_role.node.arn
  subnet_ids      = values(aws_subnet.private)[*].id
  ami_type        = "AL2023_x86_64_NVIDIA"
  instance_types  = [each.value.instance_type]

  launch_template {
    id      = aws_launch_template.gpu[each.key].id
    version = aws_launch_template.gpu[each.key].latest_version
  }

  scaling_config {
    desired_size = each.value.nodes
    min_size     = each.value.nodes
    max_size     = each.value.nodes
  }

  taint {
    key    = "nvidia.com/gpu"
    value  = "present"
    effect = "NO_SCHEDULE"
  }

  labels = { "example.com/gpu" = each.key }
}
""",
    "operator.tf": """\
resource "helm_release" "gpu_operator" {
  name             = "gpu-operator"
  namespace        = "gpu-operator"
  create_namespace = true
  repository       = "https://helm.ngc.nvidia.com/nvidia"
  chart            = "gpu-operator"
  version          = "v25.3.4"

  values = [yamlencode({
    driver       = { enabled = false }
    toolkit      = { enabled = false }
    devicePlugin = { enabled = true }
    dcgmExporter = { enabled = true }
  })]

  depends_on = [aws_eks_node_group.gpu]
}
""",
    "outputs.tf": """\
output "cluster" {
  value = aws_eks_cluster.this.name
}

output "endpoint" {
  value = aws_eks_cluster.this.endpoint
}

output "pools" {
  value = { for name, group in aws_eks_node_group.gpu : name => group.arn }
}
""",
}

BESIDE = """\
variable "cidr" {
  type    = string
  default = "10.@NUMBER@.0.0/16"
}

resource "aws_vpc" "this" {
  cidr_block = var.cidr
}

resource "aws_subnet" "these" {
  for_each          = toset(["a", "b", "c"])
  vpc_id            = aws_vpc.this.id
  cidr_block        = cidrsubnet(var.cidr, 4, index(["a", "b", "c"], each.key))
  availability_zone = "us-east-2${each.key}"
}

resource "aws_security_group" "inside" {
  vpc_id = aws_vpc.this.id

  ingress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = [var.cidr]
  }
}

output "subnets" {
  value = [for subnet in aws_subnet.these : subnet.id]
}
"""
