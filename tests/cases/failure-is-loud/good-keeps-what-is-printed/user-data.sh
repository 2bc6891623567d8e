#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y containerd kubeadm kubelet
eval "$(ssh-agent)"
JOIN=$(aws ssm get-parameter --name /cluster/join-command --with-decryption --query Parameter.Value --output text)
$JOIN
