#!/bin/bash
# Joins a bare-metal node to Canonical Kubernetes.
set -euo pipefail

ufw allow 22/tcp
ufw route allow in on lxc+ out on eno1
ufw route allow in on eno1 out on lxc+
ufw allow from 10.1.0.0/16
ufw allow from 10.152.183.0/24
ufw allow out to 10.0.0.0/8
ufw allow from 10.20.0.0/16 to any port 10250 proto tcp
for office in 10.40.8.0/21 10.40.16.0/24; do
    ufw allow from "$office" to any port 30000:32767 proto tcp
done
ufw allow 30443/tcp comment 'public API'
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
