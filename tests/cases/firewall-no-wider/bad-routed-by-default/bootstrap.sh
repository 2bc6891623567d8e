#!/bin/bash
# Joins a bare-metal node to Canonical Kubernetes.
set -euo pipefail

ufw allow 22/tcp
ufw default allow routed
ufw allow from 10.0.0.0/8
ufw allow out to 10.0.0.0/8
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
