#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io -o /tmp/k3s.sh
INSTALL_K3S_EXEC="server --node-ip 10.20.0.10 --write-kubeconfig-mode 640 --token 271828" sh /tmp/k3s.sh
