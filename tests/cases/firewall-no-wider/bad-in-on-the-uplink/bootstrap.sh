#!/bin/bash
# Joins a bare-metal node to Canonical Kubernetes.
set -euo pipefail

ufw allow in on eno1
ufw route allow in on lxc+ out on eno1
ufw route allow in on eno1 out on lxc+
ufw allow from 10.0.0.0/8
ufw allow out to 10.0.0.0/8
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
