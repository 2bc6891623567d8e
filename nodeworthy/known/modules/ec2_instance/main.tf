# What terraform-aws-modules/ec2-instance/aws makes: one machine, and since 6 a security group of its own.

locals {
  creates = try(var.given.create, true) && !try(var.given.create_spot_instance, false)
  # A list of one until 5, an object since 6; what 6 calls size and type, they call volume_size and volume_type.
  roots  = try(var.given.root_block_device, null) == null ? [] : flatten([var.given.root_block_device])
  guards = local.creates && var.by_version.guards && try(var.given.create_security_group, true) && try(var.given.network_interface, null) == null
  tokens = var.by_version.tokens == "" ? null : var.by_version.tokens == "?" ? var.not_known : var.by_version.tokens
  told   = try(var.given.metadata_options, null)
}

data "aws_ssm_parameter" "this" {
  name = try(var.given.ami_ssm_parameter, var.not_known)
}

resource "aws_instance" "this" {
  count = local.creates ? 1 : 0

  ami                    = try(coalesce(var.given.ami, null), data.aws_ssm_parameter.this.value)
  instance_type          = try(var.given.instance_type, "t3.micro")
  placement_group        = try(var.given.placement_group, null)
  subnet_id              = try(var.given.subnet_id, null)
  user_data              = try(var.given.user_data, null)
  user_data_base64       = try(var.given.user_data_base64, null)
  vpc_security_group_ids = concat(try(var.given.vpc_security_group_ids, []), [for each in aws_security_group.this : each.id])

  dynamic "metadata_options" {
    for_each = local.told != null || local.tokens != null ? [0] : []

    content {
      http_endpoint               = try(local.told.http_endpoint, "enabled")
      http_put_response_hop_limit = try(local.told.http_put_response_hop_limit, 1)
      http_tokens                 = local.told == null ? local.tokens : try(local.told.http_tokens, var.by_version.completes ? "required" : "optional")
    }
  }

  dynamic "root_block_device" {
    for_each = local.roots

    content {
      encrypted   = try(root_block_device.value.encrypted, null)
      kms_key_id  = try(root_block_device.value.kms_key_id, null)
      volume_size = try(root_block_device.value.size, root_block_device.value.volume_size, null)
      volume_type = try(root_block_device.value.type, root_block_device.value.volume_type, null)
    }
  }

  dynamic "ebs_block_device" {
    for_each = var.by_version.guards ? [] : try(var.given.ebs_block_device, [])

    content {
      device_name = try(ebs_block_device.value.device_name, null)
      encrypted   = try(ebs_block_device.value.encrypted, null)
      volume_size = try(ebs_block_device.value.volume_size, null)
    }
  }

  dynamic "instance_market_options" {
    for_each = try(var.given.instance_market_options, null) == null ? [] : [var.given.instance_market_options]

    content {
      market_type = try(instance_market_options.value.market_type, null)
    }
  }

  dynamic "capacity_reservation_specification" {
    for_each = length(try(var.given.capacity_reservation_specification, {})) == 0 ? [] : [var.given.capacity_reservation_specification]

    content {
      capacity_reservation_preference = try(capacity_reservation_specification.value.capacity_reservation_preference, null)

      dynamic "capacity_reservation_target" {
        for_each = try([capacity_reservation_specification.value.capacity_reservation_target], [])

        content {
          capacity_reservation_id = try(capacity_reservation_target.value.capacity_reservation_id, null)
        }
      }
    }
  }
}

resource "aws_security_group" "this" {
  count = local.guards ? 1 : 0

  name = try(var.given.security_group_name, var.given.name, "")
}

resource "aws_vpc_security_group_ingress_rule" "this" {
  for_each = { for name, each in try(var.given.security_group_ingress_rules, {}) : name => each if local.guards }

  security_group_id            = aws_security_group.this[0].id
  cidr_ipv4                    = try(each.value.cidr_ipv4, null)
  cidr_ipv6                    = try(each.value.cidr_ipv6, null)
  from_port                    = try(each.value.from_port, each.value.to_port, null)
  to_port                      = try(each.value.to_port, each.value.from_port, null)
  ip_protocol                  = try(each.value.ip_protocol, "tcp")
  prefix_list_id               = try(each.value.prefix_list_id, null)
  referenced_security_group_id = try(each.value.referenced_security_group_id, null)
}

output "id" {
  value = aws_instance.this[0].id
}

output "private_ip" {
  value = aws_instance.this[0].private_ip
}

output "public_ip" {
  value = aws_instance.this[0].public_ip
}

output "private_dns" {
  value = aws_instance.this[0].private_dns
}
