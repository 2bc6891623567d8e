#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

apt-get install -y ufw
ufw allow OpenSSH
ufw allow from 10.20.0.0/16 to any port 10250 proto tcp
ufw allow in on lxc+
ufw allow out on lxc+
ufw --force enable

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
