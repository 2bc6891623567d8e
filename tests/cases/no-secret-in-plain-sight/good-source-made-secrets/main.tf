# The node fetches what Terraform has made.
resource "random_password" "join" {
  length = 40
}

resource "aws_secretsmanager_secret" "join" {
  name = "join"
}

resource "aws_secretsmanager_secret_version" "join" {
  secret_id     = aws_secretsmanager_secret.join.id
  secret_string = random_password.join.result
}

resource "aws_instance" "worker" {
  ami           = "ami-0aaaaaaaaaaaaaaaa"
  instance_type = "g5.12xlarge"
  user_data     = <<-EOT
    #!/bin/bash
    set -euo pipefail
    mkdir -p /etc/rancher/k3s
    token=$(aws secretsmanager get-secret-value --secret-id ${aws_secretsmanager_secret.join.arn} --query SecretString --output text)
    echo "token: $token" > /etc/rancher/k3s/config.yaml
    curl -sfL https://get.k3s.io | sh -s - agent --server https://10.0.0.4:6443
  EOT
}
