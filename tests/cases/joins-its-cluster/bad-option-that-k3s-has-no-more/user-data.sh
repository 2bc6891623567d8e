#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io -o /tmp/install.sh
INSTALL_K3S_EXEC="server --no-deploy traefik --no-deploy servicelb --no-flannel" sh /tmp/install.sh
