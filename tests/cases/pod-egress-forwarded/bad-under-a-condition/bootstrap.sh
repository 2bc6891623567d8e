#!/usr/bin/env bash
set -euo pipefail

ufw allow 22/tcp
ufw allow from 10.0.0.0/8
if [ "$OPEN_FOR_PODS" = yes ]; then
  ufw route allow in on lxc+ out on eno1
  ufw route allow in on eno1 out on lxc+
fi
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
