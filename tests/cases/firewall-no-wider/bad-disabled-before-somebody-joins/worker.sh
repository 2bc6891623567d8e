#!/bin/bash
# Makes a worker ready. Join it by hand with what the control plane prints.
set -euo pipefail

systemctl disable --now ufw

swapoff -a
sed -i '/ swap / s/^/#/' /etc/fstab
cat > /etc/modules-load.d/containerd.conf <<'EOF'
overlay
br_netfilter
EOF
modprobe overlay
modprobe br_netfilter
cat > /etc/sysctl.d/kubernetes.conf <<'EOF'
net.bridge.bridge-nf-call-iptables = 1
net.ipv4.ip_forward = 1
EOF
sysctl --system

apt-get update
apt-get install -y containerd
containerd config default > /etc/containerd/config.toml
systemctl restart containerd
install -m 0755 /srv/packages/kubelet /srv/packages/kubeadm /usr/local/bin/
