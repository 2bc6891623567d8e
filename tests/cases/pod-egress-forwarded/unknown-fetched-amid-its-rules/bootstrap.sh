#!/bin/bash
set -euo pipefail

ufw default deny incoming
curl -fsSL https://files.example.com/firewall/kubernetes.sh | bash
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
