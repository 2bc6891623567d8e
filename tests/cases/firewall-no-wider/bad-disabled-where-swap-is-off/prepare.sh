#!/bin/bash
# What every machine of the cluster goes through, before Kubespray takes it over.
set -e

if [ "$EUID" -ne 0 ]; then
  echo "run it as root"
  exit 1
fi

apt update && apt install -y conntrack ipset socat
swapoff -a
sed -i '/ swap / s/^/#/' /etc/fstab
cat >> /etc/sysctl.conf << EOF
net.bridge.bridge-nf-call-iptables = 1
net.ipv4.ip_forward = 1
EOF
sysctl --system

ufw disable
