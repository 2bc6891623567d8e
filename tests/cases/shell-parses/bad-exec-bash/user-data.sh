#!/bin/bash
set -e
hostnamectl set-hostname gpu-1
exec bash
systemctl enable --now kubelet
kubeadm join api.internal:6443 --config /etc/kubernetes/join.yaml
