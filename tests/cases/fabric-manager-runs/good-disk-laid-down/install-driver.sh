#!/bin/bash
# Lays the driver onto a disk from which nodes are booted later; nothing is started here.
set -euo pipefail
apt-get update
apt-get install -y --no-install-recommends nvidia-driver-570-server nvidia-fabricmanager-570
systemctl enable nvidia-fabricmanager nvidia-persistenced
