#!/bin/bash
set -euo pipefail

ufw allow 22/tcp
ufw route allow in on cali+ out on eno1
ufw route allow in on eno1 out on cali+
ufw allow from 10.0.0.0/8
ufw allow from "$CONTROL_PLANE" to any port 10250 proto tcp
ufw --force enable

systemctl enable --now kubelet
kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
