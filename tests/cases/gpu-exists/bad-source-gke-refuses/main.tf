# Node pools that GKE refuses: an accelerator of another name, on a machine that it is no part of, and in another number.
locals {
  pools = {
    named    = { machine = "n1-standard-8", gpu = "nvidia-t4", count = 1 }
    attached = { machine = "n1-standard-8", gpu = "nvidia-l4", count = 1 }
    elsewhere = { machine = "e2-standard-8", gpu = "nvidia-tesla-t4", count = 1 }
    counted  = { machine = "g2-standard-8", gpu = "nvidia-l4", count = 4 }
    # Of another memory, of a size that its family has not, and three where two or four are attached.
    memory  = { machine = "a3-ultragpu-8g", gpu = "nvidia-h200-80gb", count = 8 }
    machine = { machine = "a3-highgpu-16g", gpu = "nvidia-h100-80gb", count = 8 }
    number  = { machine = "n1-standard-8", gpu = "nvidia-tesla-t4", count = 3 }
  }
}

resource "google_container_node_pool" "each" {
  for_each   = local.pools
  name       = each.key
  cluster    = "research"
  node_count = 1

  node_config {
    machine_type = each.value.machine
    guest_accelerator {
      type  = each.value.gpu
      count = each.value.count
    }
  }
}
