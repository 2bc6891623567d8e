#!/bin/bash
set -euo pipefail

curl -fsSL https://files.example.com/agent/install.sh | bash
ufw default deny incoming
ufw allow 22/tcp
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
curl -fsSL https://files.example.com/monitoring/install.sh | bash
