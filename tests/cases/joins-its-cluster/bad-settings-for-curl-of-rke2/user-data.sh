#!/bin/bash
set -euo pipefail
INSTALL_RKE2_TYPE=agent curl -sfL https://get.rke2.io | INSTALL_RKE2_CHANNEL=stable sh -
systemctl enable --now rke2-agent
