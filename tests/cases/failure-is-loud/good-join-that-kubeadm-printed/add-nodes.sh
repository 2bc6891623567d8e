#!/bin/bash
set -euo pipefail
WORDS=$(kubeadm token create --print-join-command)

for node in gpu-1 gpu-2; do
    scp -r setup "$node:"
    ssh "$node" bash -s <<THERE
set -e
bash setup/all.sh
sudo $WORDS
rm -rf setup
echo "$node has joined"
THERE
done
