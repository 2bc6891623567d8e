#!/usr/bin/env bash -eux
#
# GPU worker: driver, then kubelet through kubeadm.

install -d -m 0755 /etc/modprobe.d
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvidia-prof.conf

export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y nvidia-driver-550-server kubelet kubeadm

kubeadm join --config /etc/kubernetes/join.yaml
