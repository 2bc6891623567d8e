#!/bin/bash
set -e
apt-get install -y nvidia-driver-580-server nvidia-container-toolkit
curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.10:6443 K3S_TOKEN_FILE=/etc/k3s-token sh -
