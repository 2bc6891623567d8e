resource "google_container_cluster" "research" {
  name               = "research"
  min_master_version = "1.32"
}

resource "google_container_node_pool" "l4" {
  cluster    = google_container_cluster.research.id
  node_count = 2

  node_config {
    machine_type = "g2-standard-24"
    image_type   = "COS_CONTAINERD"
  }
}

resource "helm_release" "gpu_operator" {
  name    = "gpu-operator"
  chart   = "gpu-operator"
  version = "v25.3.4"
  values = [yamlencode({
    driver  = { enabled = false }
    toolkit = { env = [{ name = "CONTAINERD_SOCKET", value = "/run/k3s/containerd/containerd.sock" }] }
  })]
}
