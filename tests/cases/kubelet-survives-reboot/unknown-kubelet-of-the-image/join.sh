#!/bin/bash
# The image has kubelet and its bootstrap kubeconfig
set -euo pipefail
hostnamectl set-hostname "$(curl -fsS http://169.254.169.254/latest/meta-data/local-hostname)"
systemctl restart kubelet
