#!/bin/bash
apt-get update
apt-get install -y containerd kubelet kubeadm
JOIN_COMMAND=$(aws ssm get-parameter --name /trainers/join --with-decryption --query Parameter.Value --output text)
$JOIN_COMMAND
echo "node is set up"
