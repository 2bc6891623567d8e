#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-container-toolkit
curl -sfL https://get.k3s.io | sh -s - --disable traefik
