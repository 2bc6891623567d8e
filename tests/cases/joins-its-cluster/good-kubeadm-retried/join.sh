#!/bin/bash
set -uo pipefail
# No set -e: it is tried again.
TOKEN=$(aws ssm get-parameter --name /gpu/join --with-decryption --query Parameter.Value --output text)
for attempt in 1 2 3 4 5; do
  kubeadm join 10.0.0.9:6443 --token "$TOKEN" \
    --discovery-token-ca-cert-hash sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945 && break
  kubeadm reset -f
  sleep $((attempt * 10))
done
systemctl enable kubelet
