#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io -o /tmp/install.sh
# What still knows --no-deploy.
INSTALL_K3S_VERSION=v1.24.17+k3s1 INSTALL_K3S_EXEC="server --no-deploy traefik" sh /tmp/install.sh
# And what the newest takes.
INSTALL_K3S_EXEC="server --disable traefik --flannel-backend=none" sh /tmp/install.sh
