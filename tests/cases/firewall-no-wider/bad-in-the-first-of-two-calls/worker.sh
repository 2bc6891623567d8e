#!/bin/bash
set -e
if [ "$1" != "step2" ]; then
  setenforce 0
  systemctl disable --now firewalld
  echo "Reboot, then: ./worker.sh step2 'kubeadm join …'"
  exit 0
fi
yum install -y kubelet kubeadm --disableexcludes=kubernetes
systemctl enable --now kubelet
eval "$2"
