#!/bin/bash
# Rocky Linux 9
set -euo pipefail
dnf install -y --disableexcludes=kubernetes kubelet-1.33.1 kubeadm-1.33.1
kubeadm join 10.20.0.10:6443 --config /root/join.yaml
