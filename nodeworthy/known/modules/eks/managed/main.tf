# What its module eks-managed-node-group makes: a managed group, and the launch template that it starts its nodes from.

locals {
  creates    = try(var.given.create, true)
  image      = try(var.given.ami_id, "")
  image_type = try(var.given.ami_type, var.by_version.ami_type)
  templated  = local.creates && try(var.given.create_launch_template, true) && try(var.given.use_custom_launch_template, true)
  capacity   = try(var.given.capacity_type, null)
  efa        = try(var.given.enable_efa_support, false)
  interfaces = try(var.given.network_interfaces, null)
  metadata   = try(var.given.metadata_options, { http_endpoint = "enabled", http_tokens = "required", http_put_response_hop_limit = var.by_version.hop_limit })
  placed     = try(var.given.placement, null)

  # Before what EKS adds, and nothing after it: but where it leaves all to the module.
  boots = try(var.given.enable_bootstrap_user_data, false)
  parts = try(var.given.cloudinit_pre_nodeadm, [])
  plain = try(var.given.pre_bootstrap_user_data, "")
}

data "cloudinit_config" "this" {
  count = !local.boots && length(local.parts) > 0 && startswith(coalesce(local.image_type, "none"), "AL2023_") ? 1 : 0

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

resource "aws_launch_template" "this" {
  count = local.templated ? 1 : 0

  image_id               = local.image == "" ? null : local.image
  instance_type          = local.capacity == "CAPACITY_BLOCK" ? element(var.given.instance_types, 0) : null
  key_name               = try(var.given.key_name, null)
  user_data              = local.boots || local.plain != "" ? var.not_known : try(data.cloudinit_config.this[0].rendered, null)
  vpc_security_group_ids = var.not_known

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
    for_each = length(local.metadata) > 0 ? [local.metadata] : []

    content {
      http_endpoint               = try(metadata_options.value.http_endpoint, var.by_version.metadata_completed ? "enabled" : null)
      http_put_response_hop_limit = try(metadata_options.value.http_put_response_hop_limit, var.by_version.metadata_completed ? 1 : null)
      http_tokens                 = try(metadata_options.value.http_tokens, var.by_version.metadata_completed ? "required" : null)
    }
  }

  # With EFA the module makes as many as the type has cards, and a placement group.
  network_interfaces = local.efa || local.interfaces != null ? var.not_known : []
  placement          = local.efa || try(var.given.create_placement_group, false) || local.placed != null ? var.not_known : []
}

resource "aws_eks_node_group" "this" {
  count = local.creates ? 1 : 0

  cluster_name    = try(var.given.cluster_name, var.not_known)
  node_group_name = try(var.given.name, var.not_known)
  subnet_ids      = try(var.given.subnet_ids, var.not_known)
  ami_type        = local.image == "" ? (local.image_type == "" ? null : local.image_type) : null
  version         = local.image == "" ? try(var.given.kubernetes_version, var.given.cluster_version, null) : null
  capacity_type   = local.capacity
  instance_types  = local.capacity == "CAPACITY_BLOCK" ? null : try(var.given.instance_types, null)
  labels          = try(var.given.labels, null)

  scaling_config {
    min_size     = try(var.given.min_size, var.by_version.least)
    max_size     = try(var.given.max_size, 3)
    desired_size = try(var.given.desired_size, 1)
  }

  launch_template {
    id      = local.templated ? aws_launch_template.this[0].id : try(var.given.launch_template_id, var.not_known)
    version = var.not_known
  }

  dynamic "remote_access" {
    for_each = length(try(var.given.remote_access, {})) > 0 ? [var.given.remote_access] : []

    content {
      ec2_ssh_key               = try(remote_access.value.ec2_ssh_key, null)
      source_security_group_ids = try(remote_access.value.source_security_group_ids, [])
    }
  }

  dynamic "taint" {
    for_each = try(var.given.taints, {})

    content {
      key    = taint.value.key
      value  = try(taint.value.value, null)
      effect = taint.value.effect
    }
  }
}
