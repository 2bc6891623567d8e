# What terraform-aws-modules/autoscaling/aws makes: a launch template, and a group that starts machines with it.

locals {
  creates   = try(var.given.create, true)
  templates = local.creates && try(var.given.create_launch_template, true)
  is_mixed  = try(var.given.use_mixed_instances_policy, false)
  mixed     = try(var.given.mixed_instances_policy, {})
  # In 9 a list inside of `launch_template`.
  overrides = try(local.mixed.launch_template.override, local.mixed.override, [])
  told      = try(var.given.metadata_options, {})
  cards     = try(var.given.network_interfaces, [])
}

resource "aws_launch_template" "this" {
  count = local.templates ? 1 : 0

  image_id               = try(var.given.image_id, "") == "" ? null : var.given.image_id
  instance_type          = try(var.given.instance_type, null)
  user_data              = try(var.given.user_data, null)
  vpc_security_group_ids = length(local.cards) > 0 ? [] : try(var.given.security_groups, [])

  dynamic "metadata_options" {
    for_each = length(local.told) > 0 || var.by_version.completes ? [0] : []

    content {
      http_endpoint               = try(local.told.http_endpoint, "enabled")
      http_put_response_hop_limit = try(local.told.http_put_response_hop_limit, var.by_version.completes ? 1 : null)
      http_tokens                 = try(local.told.http_tokens, var.by_version.completes ? "required" : null)
    }
  }

  dynamic "block_device_mappings" {
    for_each = try(var.given.block_device_mappings, [])

    content {
      device_name = try(block_device_mappings.value.device_name, null)

      dynamic "ebs" {
        for_each = try(flatten([block_device_mappings.value.ebs]), [])

        content {
          encrypted   = try(ebs.value.encrypted, null)
          kms_key_id  = try(ebs.value.kms_key_id, null)
          volume_size = try(ebs.value.volume_size, null)
          volume_type = try(ebs.value.volume_type, null)
        }
      }
    }
  }

  dynamic "network_interfaces" {
    for_each = local.cards

    content {
      associate_public_ip_address = try(network_interfaces.value.associate_public_ip_address, null)
      device_index                = try(network_interfaces.value.device_index, null)
      interface_type              = try(network_interfaces.value.interface_type, null)
      network_card_index          = try(network_interfaces.value.network_card_index, null)
      security_groups             = compact(concat(try(network_interfaces.value.security_groups, []), try(var.given.security_groups, [])))
      subnet_id                   = try(network_interfaces.value.subnet_id, null)
    }
  }

  dynamic "placement" {
    for_each = length(try(var.given.placement, {})) > 0 ? [var.given.placement] : []

    content {
      availability_zone = try(placement.value.availability_zone, null)
      group_name        = try(placement.value.group_name, null)
    }
  }

  dynamic "instance_market_options" {
    for_each = length(try(var.given.instance_market_options, {})) > 0 ? [var.given.instance_market_options] : []

    content {
      market_type = try(instance_market_options.value.market_type, null)
    }
  }

  dynamic "capacity_reservation_specification" {
    for_each = length(try(var.given.capacity_reservation_specification, {})) > 0 ? [var.given.capacity_reservation_specification] : []

    content {
      capacity_reservation_preference = try(capacity_reservation_specification.value.capacity_reservation_preference, null)

      dynamic "capacity_reservation_target" {
        for_each = try(flatten([capacity_reservation_specification.value.capacity_reservation_target]), [])

        content {
          capacity_reservation_id = try(capacity_reservation_target.value.capacity_reservation_id, null)
        }
      }
    }
  }
}

resource "aws_autoscaling_group" "this" {
  count = local.creates ? 1 : 0

  min_size            = try(var.given.min_size, var.not_known)
  max_size            = try(var.given.max_size, var.not_known)
  desired_capacity    = try(var.given.desired_capacity, null)
  availability_zones  = try(var.given.availability_zones, null)
  vpc_zone_identifier = try(var.given.vpc_zone_identifier, null)
  suspended_processes = try(var.given.suspended_processes, null)

  dynamic "launch_template" {
    for_each = local.is_mixed ? [] : [0]

    content {
      id      = local.templates ? aws_launch_template.this[0].id : try(var.given.launch_template_id, var.given.launch_template, var.not_known)
      version = var.not_known
    }
  }

  dynamic "mixed_instances_policy" {
    for_each = local.is_mixed ? [0] : []

    content {
      launch_template {
        launch_template_specification {
          launch_template_id = local.templates ? aws_launch_template.this[0].id : try(var.given.launch_template_id, var.given.launch_template, var.not_known)
          version            = var.not_known
        }

        dynamic "override" {
          for_each = local.overrides

          content {
            instance_type = try(override.value.instance_type, null)
          }
        }
      }
    }
  }

  dynamic "instance_refresh" {
    for_each = length(try(var.given.instance_refresh, {})) > 0 ? [var.given.instance_refresh] : []

    content {
      strategy = try(instance_refresh.value.strategy, "Rolling")
      triggers = try(instance_refresh.value.triggers, null)

      dynamic "preferences" {
        for_each = try([instance_refresh.value.preferences], [])

        content {
          max_healthy_percentage = try(preferences.value.max_healthy_percentage, null)
          min_healthy_percentage = try(preferences.value.min_healthy_percentage, null)
        }
      }
    }
  }

  dynamic "initial_lifecycle_hook" {
    for_each = try(var.given.initial_lifecycle_hooks, [])

    content {
      name                 = try(initial_lifecycle_hook.value.name, null)
      default_result       = try(initial_lifecycle_hook.value.default_result, null)
      heartbeat_timeout    = try(initial_lifecycle_hook.value.heartbeat_timeout, null)
      lifecycle_transition = initial_lifecycle_hook.value.lifecycle_transition
    }
  }
}

output "autoscaling_group_name" {
  value = aws_autoscaling_group.this[0].name
}

output "autoscaling_group_arn" {
  value = aws_autoscaling_group.this[0].arn
}

output "launch_template_id" {
  value = aws_launch_template.this[0].id
}
