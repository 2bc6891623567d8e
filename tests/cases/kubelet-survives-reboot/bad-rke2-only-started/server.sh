#!/bin/bash
set -euo pipefail
curl -sfL https://get.rke2.io | INSTALL_RKE2_VERSION=v1.31.2+rke2r1 sh -
systemctl start rke2-server
