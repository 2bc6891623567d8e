#!/bin/bash
# Joins a bare-metal node to Canonical Kubernetes.
set -euo pipefail

# Pods could not resolve names.
ufw disable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
