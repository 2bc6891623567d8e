# What cloudposse/eks-node-group/aws makes: one managed group and its launch template.

locals {
  creates    = try(var.given.enabled, var.given.context.enabled, true)
  image_type = try(var.given.ami_type, "AL2_x86_64")
  release    = try(var.given.ami_release_version, [])
  # It looks an image of AL2 up where a script of its own replaces that of EKS.
  told_kubelet = try(var.given.kubelet_additional_options, [])
  told_script  = concat(try(var.given.bootstrap_additional_options, []), try(var.given.after_cluster_joining_userdata, []))
  reads_script = startswith(local.image_type, "AL2_")
  own_script   = local.reads_script && length(concat(local.told_kubelet, local.told_script)) > 0
  # With nothing of one's own, EKS' script is all; lines of one's own stand before it, as a part of MIME.
  own_lines = concat(local.told_kubelet, local.told_script, try(var.given.before_cluster_joining_userdata, []))
  overrides = try(var.given.userdata_override_base64, [])
  before    = <<-EOT
    MIME-Version: 1.0
    Content-Type: multipart/mixed; boundary="/:/+++"

    --/:/+++
    Content-Type: text/x-shellscript; charset="us-ascii"

    #!/bin/bash
    ${join("\n", try(var.given.before_cluster_joining_userdata, []))}

    --/:/+++--
  EOT

  # Behind its cluster's doors, and behind one of its own for SSH: to everyone, where a key is given and no groups.
  templated = local.creates && length(try(var.given.launch_template_id, [])) == 0
  let_in    = try(var.given.ssh_access_security_group_ids, [])
  has_ssh   = local.templated && (length(try(var.given.ec2_ssh_key_name, [])) > 0 || length(local.let_in) > 0)
  others    = try(var.given.associated_security_group_ids, [])
  of_its    = try(var.given.associate_cluster_security_group, true) ? [var.not_known] : []
  own_doors = concat(aws_security_group.ssh[*].id, local.others)
  disks     = can(var.given.block_device_mappings) ? var.not_known : try(var.given.block_device_map, { "/dev/xvda" = { ebs = {} } })
  image     = length(try(var.given.ami_image_id, [])) > 0 ? var.given.ami_image_id[0] : local.own_script ? var.not_known : null
}

resource "aws_security_group" "ssh" {
  count = local.has_ssh ? 1 : 0

  name = var.not_known
}

resource "aws_vpc_security_group_ingress_rule" "ssh" {
  count = local.has_ssh ? 1 : 0

  security_group_id            = aws_security_group.ssh[0].id
  ip_protocol                  = "tcp"
  from_port                    = 22
  to_port                      = 22
  cidr_ipv4                    = length(local.let_in) == 0 ? "0.0.0.0/0" : null
  referenced_security_group_id = length(local.let_in) == 0 ? null : local.let_in[0]
}

resource "aws_vpc_security_group_egress_rule" "ssh" {
  count = local.has_ssh ? 1 : 0

  security_group_id = aws_security_group.ssh[0].id
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
}

resource "aws_launch_template" "default" {
  count = local.templated ? 1 : 0

  image_id  = local.image
  key_name  = try(var.given.ec2_ssh_key_name[0], null)
  user_data = length(local.overrides) > 0 ? local.overrides[0] : length(local.own_lines) == 0 ? null : local.own_script || length(local.told_kubelet) > 0 ? var.not_known : base64encode(local.before)
  # With none of its own EKS gives the nodes the cluster's, as it is.
  vpc_security_group_ids = length(local.own_doors) == 0 ? [] : concat(local.of_its, local.own_doors)
  network_interfaces     = []
  placement              = length(try(var.given.placement, [])) == 0 ? [] : var.not_known

  metadata_options {
    http_endpoint               = try(var.given.metadata_http_endpoint_enabled, true) ? "enabled" : "disabled"
    http_put_response_hop_limit = try(var.given.metadata_http_put_response_hop_limit, 2)
    http_tokens                 = try(var.given.metadata_http_tokens_required, true) ? "required" : "optional"
  }

  dynamic "block_device_mappings" {
    for_each = local.disks

    content {
      device_name = block_device_mappings.key

      ebs {
        encrypted   = try(block_device_mappings.value.ebs.encrypted, true)
        kms_key_id  = try(block_device_mappings.value.ebs.kms_key_id, null)
        volume_size = try(block_device_mappings.value.ebs.volume_size, 20)
        volume_type = try(block_device_mappings.value.ebs.volume_type, "gp3")
      }
    }
  }
}

resource "aws_eks_node_group" "default" {
  count = local.creates ? 1 : 0

  cluster_name    = var.given.cluster_name
  node_group_name = var.not_known
  subnet_ids      = try(var.given.subnet_ids, var.not_known)
  ami_type        = local.image == null ? local.image_type : null
  capacity_type   = try(var.given.capacity_type, null)
  instance_types  = try(var.given.instance_types, ["t3.medium"])
  labels          = try(var.given.kubernetes_labels, {})
  version         = try(var.given.kubernetes_version[0], null)

  scaling_config {
    min_size     = try(var.given.min_size, var.not_known)
    max_size     = try(var.given.max_size, var.not_known)
    desired_size = try(var.given.desired_size, var.not_known)
  }

  launch_template {
    id      = try(aws_launch_template.default[0].id, var.given.launch_template_id[0])
    version = var.not_known
  }

  dynamic "taint" {
    for_each = try(var.given.kubernetes_taints, [])

    content {
      key    = taint.value.key
      value  = try(taint.value.value, null)
      effect = taint.value.effect
    }
  }
}
