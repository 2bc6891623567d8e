# What terraform-google-modules/kubernetes-engine/google makes of which rules ask: a cluster, and its pools of nodes, each an
# entry of node_pools. All of its variants say pools in these words.

locals {
  pools = { for each in try(var.given.node_pools, []) : each.name => each }
}

resource "google_container_cluster" "primary" {
  name               = var.given.name
  min_master_version = try(var.given.kubernetes_version, null)
}

resource "google_container_node_pool" "pools" {
  for_each = local.pools

  name    = each.key
  cluster = google_container_cluster.primary.name
  version = try(each.value.version, null)

  # With autoscaling, which is on where nobody says it, its first size is the least.
  initial_node_count = try(each.value.autoscaling, true) ? try(each.value.initial_node_count, each.value.min_count, 1) : null
  node_count         = try(each.value.autoscaling, true) ? null : try(each.value.node_count, 1)

  dynamic "autoscaling" {
    for_each = try(each.value.autoscaling, true) ? [each.value] : []
    content {
      min_node_count = try(autoscaling.value.min_count, 1)
      max_node_count = try(autoscaling.value.max_count, 100)
    }
  }

  node_config {
    image_type   = try(each.value.image_type, "COS_CONTAINERD")
    machine_type = try(each.value.machine_type, "e2-medium")
    labels       = merge(try(var.given.node_pools_labels.all, {}), try(var.given.node_pools_labels[each.key], {}))

    dynamic "guest_accelerator" {
      for_each = try(each.value.accelerator_count, 0) > 0 ? [each.value] : []
      content {
        type               = try(guest_accelerator.value.accelerator_type, "")
        count              = guest_accelerator.value.accelerator_count
        gpu_partition_size = try(guest_accelerator.value.gpu_partition_size, null)

        dynamic "gpu_driver_installation_config" {
          for_each = try(guest_accelerator.value.gpu_driver_version, "") != "" ? [guest_accelerator.value] : []
          content {
            gpu_driver_version = gpu_driver_installation_config.value.gpu_driver_version
          }
        }

        dynamic "gpu_sharing_config" {
          for_each = try(guest_accelerator.value.gpu_sharing_strategy, "") != "" ? [guest_accelerator.value] : []
          content {
            gpu_sharing_strategy = gpu_sharing_config.value.gpu_sharing_strategy
          }
        }
      }
    }

    dynamic "taint" {
      for_each = concat(try(var.given.node_pools_taints.all, []), try(var.given.node_pools_taints[each.key], []))
      content {
        key    = taint.value.key
        value  = taint.value.value
        effect = taint.value.effect
      }
    }
  }
}
