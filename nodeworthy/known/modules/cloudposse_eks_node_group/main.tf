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
  before = <<-EOT
    MIME-Version: 1.0
    Content-Type: multipart/mixed; boundary="/:/+++"

    --/:/+++
    Content-Type: text/x-shellscript; charset="us-ascii"

    #!/bin/bash
    ${join("\n", try(var.given.before_cluster_joining_userdata, []))}

    --/:/+++--
  EOT
  image      = length(try(var.given.ami_image_id, [])) > 0 ? var.given.ami_image_id[0] : local.own_script ? var.not_known : null
}

resource "aws_launch_template" "default" {
  count = local.creates && length(try(var.given.launch_template_id, [])) == 0 ? 1 : 0

  image_id               = local.image
  key_name               = try(var.given.ec2_ssh_key_name[0], null)
  user_data              = length(local.overrides) > 0 ? local.overrides[0] : length(local.own_lines) == 0 ? null : local.own_script || length(local.told_kubelet) > 0 ? var.not_known : base64encode(local.before)
  vpc_security_group_ids = var.not_known
  block_device_mappings  = var.not_known
  network_interfaces     = []
  placement              = length(try(var.given.placement, [])) == 0 ? [] : var.not_known

  metadata_options {
    http_endpoint               = try(var.given.metadata_http_endpoint_enabled, true) ? "enabled" : "disabled"
    http_put_response_hop_limit = try(var.given.metadata_http_put_response_hop_limit, 2)
    http_tokens                 = try(var.given.metadata_http_tokens_required, true) ? "required" : "optional"
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
