#!/bin/bash
set -euo pipefail

SERVER=""
TOKEN=""
usage() {
    echo "sudo $0 --server 10.0.0.4 --token K10abc... --type gpu"
}
while [[ $# -gt 0 ]]; do
    case $1 in
        --server) SERVER="$2"; shift 2 ;;
        --token) TOKEN="$2"; shift 2 ;;
        *) usage; exit 1 ;;
    esac
done
if [ "$EUID" -ne 0 ]; then
    usage
    exit 1
fi
if [ -z "$SERVER" ] || [ -z "$TOKEN" ]; then
    usage
    exit 1
fi
curl -sfLo /tmp/k3s.sh https://get.k3s.io
K3S_URL="https://$SERVER:6443" K3S_TOKEN="$TOKEN" sh /tmp/k3s.sh agent
