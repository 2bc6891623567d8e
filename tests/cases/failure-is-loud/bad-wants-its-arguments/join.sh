#!/bin/bash
# usage: join.sh ENDPOINT TOKEN HASH
if [ $# -ne 3 ]; then
  echo "usage: $0 ENDPOINT TOKEN HASH" >&2
  exit 64
fi

apt-get update
apt-get install -y nvidia-driver-570-server
kubeadm join "$1" --token "$2" --discovery-token-ca-cert-hash "$3"
