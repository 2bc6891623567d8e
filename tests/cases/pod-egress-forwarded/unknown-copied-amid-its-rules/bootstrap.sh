#!/bin/bash
set -euo pipefail

ufw default deny incoming
aws s3 cp s3://site-files/kubernetes-ports.sh /tmp/ports.sh
bash /tmp/ports.sh
ufw --force enable

snap install k8s --classic --channel=1.32-classic/stable
k8s join-cluster "$(cat /root/join-token)"
