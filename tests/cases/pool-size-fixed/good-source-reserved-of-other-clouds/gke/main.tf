resource "google_container_node_pool" "serve" {
  name    = "serve"
  cluster = "models"

  autoscaling {
    min_node_count = 4
    max_node_count = 4
  }

  node_config {
    machine_type = "a3-highgpu-8g"

    guest_accelerator {
      type  = "nvidia-h100-80gb"
      count = 8
      gpu_driver_installation_config {
        gpu_driver_version = "LATEST"
      }
    }

    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["h100-until-march"]
    }
  }
}
