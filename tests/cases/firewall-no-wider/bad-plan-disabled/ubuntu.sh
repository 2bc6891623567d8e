#!/bin/bash
set -euo pipefail

apt-get update
apt-get install -y ufw
ufw disable

/etc/eks/bootstrap.sh gpu-prod \
  --apiserver-endpoint https://0123456789ABCDEF0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com \
  --b64-cluster-ca LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1BREVVUApLRU5EIENFUlRJRklDQVRFLS0tLS0K \
  --dns-cluster-ip 172.20.0.10
