#!/usr/bin/env bash
set -euo pipefail

ufw allow OpenSSH
# Closed until Cilium is there.
ufw route deny in on lxc+ out on eno1
ufw --force enable

kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml

ufw route insert 1 allow in on lxc+ out on eno1
ufw route allow in on eno1 out on lxc+
ufw allow from 10.0.0.0/8
