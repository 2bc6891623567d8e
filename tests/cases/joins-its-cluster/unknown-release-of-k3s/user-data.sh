#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io -o /tmp/install.sh
INSTALL_K3S_VERSION="$(cat /opt/k3s-release)" sh /tmp/install.sh server --no-deploy traefik
