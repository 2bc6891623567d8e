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
}

data "aws_ssm_parameter" "ami" {
  count = local.creates && local.image == "" ? 1 : 0

  name = local.parameters[local.image_type]
}

resource "aws_launch_template" "this" {
  count = local.templated ? 1 : 0

  image_id               = local.image == "" ? data.aws_ssm_parameter.ami[0].value : local.image
  instance_type          = try(var.given.instance_type, "m6i.large")
  key_name               = try(var.given.key_name, null)
  user_data              = var.not_known
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

  network_interfaces = local.efa || local.interfaces != null ? var.not_known : []
  placement          = local.efa || try(var.given.create_placement_group, false) || local.placed != null ? var.not_known : []
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
