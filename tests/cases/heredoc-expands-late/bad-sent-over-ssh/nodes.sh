#!/bin/bash
set -euo pipefail
JOIN=$(kubeadm token create --print-join-command)
ssh root@gpu-1 <<EOF
set -e
apt-get install -y nvidia-driver-570-server
for gpu in 0 1 2 3; do
  nvidia-smi -i $gpu -pm 1
done
$JOIN
EOF
