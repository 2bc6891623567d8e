#!/usr/bin/env bash
# A kubeadm worker of the lab: Kubernetes' own table of ports, kubelet's for the control plane alone. Calico.
set -euo pipefail
apt-get install -y ufw
ufw allow 22/tcp
ufw allow from 192.168.56.0/24
ufw allow 30000:32767/tcp
ufw route allow in on cali+ out on eth1
ufw route allow in on eth1 out on cali+
ufw --force enable
systemctl enable --now kubelet
kubeadm join 192.168.56.10:6443 --config /etc/kubernetes/join.yaml
