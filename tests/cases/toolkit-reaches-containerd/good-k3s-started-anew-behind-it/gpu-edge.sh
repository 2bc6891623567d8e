#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io | sh -s - --disable traefik

apt-get update
apt-get install -y nvidia-container-toolkit
systemctl restart k3s
