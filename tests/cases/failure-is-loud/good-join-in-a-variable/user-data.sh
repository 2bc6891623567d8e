#!/bin/bash
apt-get install -y containerd kubelet kubeadm
JOIN_COMMAND=$(aws ssm get-parameter --name /trainers/join --with-decryption --query Parameter.Value --output text)
$JOIN_COMMAND || { echo "could not join: $?"; exit 1; }
echo "node is set up"
