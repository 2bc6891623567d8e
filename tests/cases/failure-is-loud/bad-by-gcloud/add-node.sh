#!/bin/bash
set -euo pipefail

gcloud compute ssh "gpu-$1" --zone=us-central1-a --command='sudo bash -s' <<'THERE'
cp /tmp/bootstrap-kubelet.conf /etc/kubernetes/
systemctl enable kubelet
systemctl restart kubelet
echo "kubelet runs"
THERE
echo "gpu-$1 is a node"
