#!/bin/bash
# Makes a GPU node of a fresh Ubuntu server; kubeadm join is run by hand.
set -euo pipefail

swapoff -a
sed -ri '/\sswap\s/s/^/#/' /etc/fstab
printf 'overlay\nbr_netfilter\n' > /etc/modules-load.d/k8s.conf
modprobe -a overlay br_netfilter
echo 'net.ipv4.ip_forward = 1' > /etc/sysctl.d/k8s.conf
sysctl --system

apt-get install -y containerd
mkdir -p /etc/containerd
containerd config default | tee /etc/containerd/config.toml
sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml
apt-get install -y kubelet kubeadm

apt-get install -y nvidia-driver-570-server nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=containerd
systemctl restart containerd
