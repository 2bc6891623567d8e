#!/bin/bash
# The first machine, and those that it is told of
curl -sfL https://get.k3s.io -o /tmp/k3s.sh
sh /tmp/k3s.sh --token-file /etc/k3s-token
for node in "$@"; do
    ssh "$node" "K3S_URL=https://$(hostname):6443 K3S_TOKEN_FILE=/etc/k3s-token sh /tmp/k3s.sh"
done
for node in "$@"; do
    ssh "$node" "sudo apt-get install -y nvidia-driver-570-server"
done
echo "That is all"
