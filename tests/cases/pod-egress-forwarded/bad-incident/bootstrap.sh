#!/bin/bash
# Joins a bare-metal node to Canonical Kubernetes.
set -euo pipefail

ufw default deny incoming
ufw default allow outgoing
ufw allow 22/tcp comment 'ssh'
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
