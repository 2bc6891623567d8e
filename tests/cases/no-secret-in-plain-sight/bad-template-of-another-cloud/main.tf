resource "random_password" "join" {
  length = 32
}

resource "hcloud_server" "worker" {
  name        = "gpu-worker"
  image       = "ubuntu-24.04"
  server_type = "ccx63"
  user_data = templatefile("${path.module}/worker.yaml", {
    token = random_password.join.result
  })
}
