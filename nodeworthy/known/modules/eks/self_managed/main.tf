# What its module self-managed-node-group makes: an auto scaling group and its launch template.

locals {
  creates    = try(var.given.create, true)
  image      = try(var.given.ami_id, "")
  image_type = try(var.given.ami_type, var.by_version.ami_type)
  version    = try(var.given.kubernetes_version, var.given.cluster_version, null)
  templated  = local.creates && try(var.given.create_launch_template, true)
  groups     = local.creates && try(var.given.create_autoscaling_group, true)
  mixed      = try(var.given.use_mixed_instances_policy, false)
  efa        = try(var.given.enable_efa_support, false)
  interfaces = try(var.given.network_interfaces, null)
  metadata   = try(var.given.metadata_options, { http_endpoint = "enabled", http_tokens = "required", http_put_response_hop_limit = var.by_version.hop_limit })
  placed     = try(var.given.placement, null)

  # Behind which doors its nodes stand. With EFA, since 21, one that is open among them.
  attached = try(var.given.attach_cluster_primary_security_group, false) ? [var.given.clusters_security_group] : []
  opens    = local.efa && var.by_version.efa_of_groups
  doors = compact(concat(
    [try(var.given.node_security_group_id, "")],
    try(var.given.vpc_security_group_ids, []),
    [try(var.given.cluster_primary_security_group_id, "")],
    local.attached,
    aws_security_group.this[*].id,
  ))

  type    = try(var.given.instance_type, "m6i.large")
  cards   = local.efa ? try(var.network_cards[local.type], var.not_known) : 0
  primary = concat([0], try(var.given.efa_indices, []))
  efa_interfaces = [for card in range(local.cards) : {
    device_index       = card == 0 ? 0 : 1
    network_card_index = card
    interface_type     = try(var.given.enable_efa_only, false) && !contains(local.primary, card) ? "efa-only" : "efa"
  }]
  made_interfaces = local.efa ? local.efa_interfaces : local.interfaces == null ? [] : local.interfaces

  parameters = {
    AL2_x86_64                 = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2/recommended/image_id"
    AL2_x86_64_GPU             = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2-gpu/recommended/image_id"
    AL2_ARM_64                 = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2-arm64/recommended/image_id"
    BOTTLEROCKET_ARM_64        = "/aws/service/bottlerocket/aws-k8s-${local.version}/arm64/latest/image_id"
    BOTTLEROCKET_x86_64        = "/aws/service/bottlerocket/aws-k8s-${local.version}/x86_64/latest/image_id"
    BOTTLEROCKET_ARM_64_NVIDIA = "/aws/service/bottlerocket/aws-k8s-${local.version}-nvidia/arm64/latest/image_id"
    BOTTLEROCKET_x86_64_NVIDIA = "/aws/service/bottlerocket/aws-k8s-${local.version}-nvidia/x86_64/latest/image_id"
    AL2023_x86_64_STANDARD     = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2023/x86_64/standard/recommended/image_id"
    AL2023_ARM_64_STANDARD     = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2023/arm64/standard/recommended/image_id"
    AL2023_x86_64_NEURON       = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2023/x86_64/neuron/recommended/image_id"
    AL2023_x86_64_NVIDIA       = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
    AL2023_ARM_64_NVIDIA       = "/aws/service/eks/optimized-ami/${local.version}/amazon-linux-2023/arm64/nvidia/recommended/image_id"
  }

  # What its nodes boot with. Before 20 the module knows two families, and AL2's is that of all images but Bottlerocket's.
  before        = try(var.given.cloudinit_pre_nodeadm, [])
  after         = try(var.given.cloudinit_post_nodeadm, [])
  plain_before  = try(var.given.pre_bootstrap_user_data, "")
  plain_after   = try(var.given.post_bootstrap_user_data, "")
  arguments     = try(var.given.bootstrap_extra_args, "")
  own_template  = try(var.given.user_data_template_path, "") != ""
  reads_nodeadm = var.by_version.knows_al2023 ? startswith(coalesce(local.image_type, "none"), "AL2023_") : false
  reads_toml    = startswith(coalesce(local.image_type, "none"), "BOTTLEROCKET_")

  node_config = <<-EOT
    ---
    apiVersion: node.eks.aws/v1alpha1
    kind: NodeConfig
    spec:
      cluster:
        name: ${try(var.given.cluster_name, "")}
        apiServerEndpoint: ${try(var.given.cluster_endpoint, "")}
        certificateAuthority: ${try(var.given.cluster_auth_base64, "")}
        cidr: ${try(var.given.cluster_service_cidr, "")}
  EOT
  script      = <<-EOT
    #!/bin/bash
    set -e
    ${local.plain_before}
    B64_CLUSTER_CA=${try(var.given.cluster_auth_base64, "")}
    API_SERVER_URL=${try(var.given.cluster_endpoint, "")}
    /etc/eks/bootstrap.sh ${try(var.given.cluster_name, "")} ${local.arguments} --b64-cluster-ca $B64_CLUSTER_CA --apiserver-endpoint $API_SERVER_URL
    ${local.plain_after}
  EOT
  settings    = <<-EOT
    [settings.kubernetes]
    "cluster-name" = "${try(var.given.cluster_name, "")}"
    "api-server" = "${try(var.given.cluster_endpoint, "")}"
    "cluster-certificate" = "${try(var.given.cluster_auth_base64, "")}"
    ${local.arguments}
  EOT

  parts = local.own_template || !local.reads_nodeadm ? [] : concat(
    local.before,
    [{ content_type = "application/node.eks.aws", content = local.node_config }],
    local.after,
  )
  user_data = local.own_template ? var.not_known : local.reads_toml ? base64encode(local.settings) : local.reads_nodeadm ? data.cloudinit_config.this[0].rendered : base64encode(local.script)
}

data "aws_ssm_parameter" "ami" {
  count = local.creates && local.image == "" ? 1 : 0

  name = local.parameters[local.image_type]
}

data "cloudinit_config" "this" {
  count = length(local.parts) > 0 ? 1 : 0

  base64_encode = true
  gzip          = false

  dynamic "part" {
    for_each = local.parts

    content {
      content      = part.value.content
      content_type = try(part.value.content_type, null)
    }
  }
}

resource "aws_security_group" "this" {
  count = local.opens ? 1 : 0

  name = try(var.given.name, var.not_known)
}

resource "aws_vpc_security_group_ingress_rule" "this" {
  count = local.opens ? 1 : 0

  security_group_id            = aws_security_group.this[0].id
  referenced_security_group_id = aws_security_group.this[0].id
  ip_protocol                  = "-1"
}

resource "aws_vpc_security_group_egress_rule" "this" {
  count = local.opens ? 1 : 0

  security_group_id            = aws_security_group.this[0].id
  referenced_security_group_id = aws_security_group.this[0].id
  ip_protocol                  = "-1"
}

resource "aws_placement_group" "this" {
  count = local.creates && (local.efa || try(var.given.create_placement_group, false)) ? 1 : 0

  name     = "nodes-${try(var.given.name, "gpu")}"
  strategy = try(var.given.placement_group_strategy, "cluster")
}

resource "aws_launch_template" "this" {
  count = local.templated ? 1 : 0

  image_id               = local.image == "" ? data.aws_ssm_parameter.ami[0].value : local.image
  instance_type          = try(var.given.instance_type, "m6i.large")
  key_name               = try(var.given.key_name, null)
  user_data              = local.user_data
  vpc_security_group_ids = length(local.made_interfaces) > 0 ? [] : local.doors

  dynamic "block_device_mappings" {
    for_each = coalesce(try(var.given.block_device_mappings, {}), {})

    content {
      device_name = try(block_device_mappings.value.device_name, null)

      dynamic "ebs" {
        for_each = try([block_device_mappings.value.ebs], [])

        content {
          encrypted   = try(ebs.value.encrypted, null)
          kms_key_id  = try(ebs.value.kms_key_id, null)
          volume_size = try(ebs.value.volume_size, null)
          volume_type = try(ebs.value.volume_type, null)
        }
      }
    }
  }

  dynamic "capacity_reservation_specification" {
    for_each = try([var.given.capacity_reservation_specification], [])

    content {
      capacity_reservation_preference = try(capacity_reservation_specification.value.capacity_reservation_preference, null)

      dynamic "capacity_reservation_target" {
        for_each = try([capacity_reservation_specification.value.capacity_reservation_target], [])

        content {
          capacity_reservation_id                 = try(capacity_reservation_target.value.capacity_reservation_id, null)
          capacity_reservation_resource_group_arn = try(capacity_reservation_target.value.capacity_reservation_resource_group_arn, null)
        }
      }
    }
  }

  dynamic "instance_market_options" {
    for_each = try([var.given.instance_market_options], [])

    content {
      market_type = try(instance_market_options.value.market_type, null)
    }
  }

  dynamic "metadata_options" {
    for_each = length(local.metadata) > 0 || var.by_version.metadata_completed ? [local.metadata] : []

    content {
      http_endpoint               = try(metadata_options.value.http_endpoint, var.by_version.metadata_completed ? "enabled" : null)
      http_put_response_hop_limit = try(metadata_options.value.http_put_response_hop_limit, var.by_version.metadata_completed ? 1 : null)
      http_tokens                 = try(metadata_options.value.http_tokens, var.by_version.metadata_completed ? "required" : null)
    }
  }

  dynamic "network_interfaces" {
    for_each = local.made_interfaces

    content {
      device_index       = try(network_interfaces.value.device_index, null)
      network_card_index = try(network_interfaces.value.network_card_index, null)
      interface_type     = try(network_interfaces.value.interface_type, null)
      security_groups    = compact(concat(try(network_interfaces.value.security_groups, []), local.doors))
    }
  }

  dynamic "placement" {
    for_each = length(aws_placement_group.this) > 0 || local.placed != null ? [local.placed] : []

    content {
      availability_zone = try(placement.value.availability_zone, null)
      group_name        = try(aws_placement_group.this[0].name, placement.value.group_name, null)
    }
  }
}

resource "aws_autoscaling_group" "this" {
  count = local.groups ? 1 : 0

  name                = try(var.given.name, var.not_known)
  min_size            = try(var.given.min_size, var.by_version.least)
  max_size            = try(var.given.max_size, 3)
  desired_capacity    = try(var.given.desired_size, 1)
  vpc_zone_identifier = try(var.given.subnet_ids, var.not_known)

  dynamic "launch_template" {
    for_each = local.mixed ? [] : [1]

    content {
      id      = local.templated ? aws_launch_template.this[0].id : try(var.given.launch_template_id, var.not_known)
      version = var.not_known
    }
  }

  dynamic "mixed_instances_policy" {
    for_each = local.mixed ? [try(var.given.mixed_instances_policy, {})] : []

    content {
      launch_template {
        launch_template_specification {
          launch_template_id = local.templated ? aws_launch_template.this[0].id : try(var.given.launch_template_id, var.not_known)
        }

        dynamic "override" {
          for_each = try(mixed_instances_policy.value.launch_template.override, mixed_instances_policy.value.override, [])

          content {
            instance_type = try(override.value.instance_type, null)
          }
        }
      }
    }
  }

  initial_lifecycle_hook = try(var.given.initial_lifecycle_hooks, [])
  instance_refresh       = try(var.given.instance_refresh, null) == null ? [] : var.not_known
}

# What it is given and hands on to nobody.
resource "left_out" "plain_of_al2023" {
  count = local.creates && local.reads_nodeadm && local.plain_before != "" ? 1 : 0

  called  = "pre_bootstrap_user_data"
  said    = local.plain_before
  why     = "for AL2023 the module writes a NodeConfig and the parts of cloudinit_pre_nodeadm, and no script of AL2's"
  instead = "write it as a part of cloudinit_pre_nodeadm, with content_type = \"text/x-shellscript\""
}

resource "left_out" "arguments" {
  count = local.creates && local.reads_nodeadm && !local.own_template && local.arguments != "" ? 1 : 0

  called  = "bootstrap_extra_args"
  said    = local.arguments
  why     = "for AL2023 the module writes a NodeConfig, and calls no bootstrap.sh that would take them"
  instead = "say it in a NodeConfig, as a part of cloudinit_pre_nodeadm with content_type = \"application/node.eks.aws\""
}
