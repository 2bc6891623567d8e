#!/bin/bash
node=$1

ssh "admin@$node" "sudo systemctl enable rke2-server.service"
ssh "admin@$node" "sudo systemctl start rke2-server.service"
echo "Waiting for its kubeconfig"
ready=false
while ! $ready; do
    if ssh "admin@$node" "sudo test -e /etc/rancher/rke2/rke2.yaml"; then
        ready=true
    fi
    sleep 10
done
echo "$node is there"
