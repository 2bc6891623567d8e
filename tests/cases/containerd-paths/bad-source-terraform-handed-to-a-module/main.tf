module "operator" {
  source = "./modules/operator"
  image  = "AL2023_x86_64_NVIDIA"
  socket = "/run/k3s/containerd/containerd.sock"
}
