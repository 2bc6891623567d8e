#!/bin/bash
WORDS=$(kubeadm token create --print-join-command)

for node in gpu-1 gpu-2; do
    scp -r setup "$node:"
    ssh "$node" bash -s <<THERE
bash setup/all.sh
sudo $WORDS
rm -rf setup
echo "$node has joined"
THERE
    if [ $? -ne 0 ]; then
        echo "$node could not be set up"
        exit 1
    fi
done
