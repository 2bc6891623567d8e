module "gke" {
  source       = "../modules/gke"
  machine_type = "g2-standard-24"
}
