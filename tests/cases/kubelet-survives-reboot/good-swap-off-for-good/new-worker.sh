#!/bin/bash
set -euo pipefail

swapoff -a
sed -i '/\sswap\s/d' /etc/fstab
printf 'overlay\nbr_netfilter\n' > /etc/modules-load.d/kubernetes.conf
systemctl restart systemd-modules-load

dnf install -y --disableexcludes=kubernetes kubelet-1.33.1 kubeadm-1.33.1
systemctl enable --now kubelet
kubeadm join 10.20.0.10:6443 --config /root/join.yaml
