#!/bin/bash
set -euo pipefail
dnf install -y cri-o kubelet-1.33.4 kubeadm-1.33.4
systemctl start crio
systemctl enable --now kubelet
kubeadm join 10.40.0.10:6443 --config /root/join.yaml
/opt/site/after-join.sh
