#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-driver-580-server nvidia-fabricmanager-580
systemctl enable --now nvidia-fabricmanager
kubeadm join 10.0.0.1:6443 --token-file /run/join/token --discovery-token-unsafe-skip-ca-verification
