#!/bin/bash
# A kubeadm worker: ports as the installation guide lists them.
set -euo pipefail

apt-get install -y ufw
ufw allow 22/tcp
ufw allow 10250/tcp comment 'Kubelet API'
ufw allow 30000:32767/tcp comment 'NodePort Services'
ufw route allow in on cali+ out on eno1
ufw route allow in on eno1 out on cali+
ufw allow from 10.0.0.0/8
ufw --force enable

systemctl enable --now kubelet
kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
