#!/bin/bash
# Joins a bare-metal node to Canonical Kubernetes.
set -euo pipefail

apt-get purge -y ufw

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
