resource "openstack_compute_instance_v2" "server" {
  name        = "server"
  flavor_name = "m1.large"
  image_name  = "ubuntu-24.04"

  user_data = <<-EOT
    #cloud-config
    runcmd:
      - curl -sfL https://get.k3s.io | INSTALL_K3S_EXEC="server --disable traefik" sh -
      - touch /var/lib/server-is-made
  EOT
}
