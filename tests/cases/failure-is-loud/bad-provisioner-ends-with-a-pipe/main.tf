resource "null_resource" "agent" {
  provisioner "remote-exec" {
    inline = [
      "curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.10:6443 sh -s - agent --token-file /etc/k3s-token"
    ]
  }
}
