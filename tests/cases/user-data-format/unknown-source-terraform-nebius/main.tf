variable "key" { type = string }

resource "nebius_mk8s_v1_node_group" "gpu" {
  name             = "gpu"
  parent_id        = "mk8scluster-e00training"
  fixed_node_count = 4

  template = {
    resources            = { platform = "gpu-h100-sxm", preset = "8gpu-128vcpu-1600gb" }
    cloud_init_user_data = templatefile("${path.module}/templates/cloud-init.yaml.tftpl", { key = var.key })
  }
}
