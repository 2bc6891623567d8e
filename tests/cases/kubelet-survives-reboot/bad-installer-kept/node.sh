#!/bin/bash
set -euo pipefail
cp k3s /usr/local/bin/k3s
INSTALL_K3S_SKIP_DOWNLOAD=true \
  INSTALL_K3S_SKIP_ENABLE=true \
  INSTALL_K3S_SKIP_START=true \
  /bin/sh ./install.sh
systemctl daemon-reload
systemctl start k3s
