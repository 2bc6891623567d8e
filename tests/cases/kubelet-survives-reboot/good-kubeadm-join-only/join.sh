#!/bin/bash
# The image has kubelet and kubeadm
set -euo pipefail
hostnamectl set-hostname "$(curl -fsS http://169.254.169.254/latest/meta-data/local-hostname)"
kubeadm join --config /etc/kubernetes/join.yaml
