resource "aws_instance" "gpu" {
  ami           = "ami-0123456789abcdef0"
  instance_type = "g5.xlarge"
  metadata_options { http_tokens = "required" }
  provisioner "remote-exec" {
    inline = [
      "set -e",
      "sudo apt-get install -y nvidia-driver-570-server",
      "sudo ufw disable",
      "curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.1:6443 sh -",
    ]
  }
}
