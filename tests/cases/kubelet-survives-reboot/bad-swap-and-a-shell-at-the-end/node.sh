#!/bin/bash
set -e
read -p "Update the system (yes/no)? " update
if [ "$update" = yes ]; then
  apt-get update
fi
swapoff -a
apt-get install -y kubelet kubeadm
systemctl enable kubelet
exec bash
