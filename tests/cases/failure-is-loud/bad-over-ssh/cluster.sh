#!/bin/bash
# Makes a small cluster out of three machines
first=gpu-a
others="gpu-b gpu-c"

for host in $first $others; do
    ssh admin@$host sudo bash -s <<'THERE'
set -e
apt-get update
apt-get install -y containerd kubelet kubeadm
THERE
done

ssh admin@$first "sudo kubeadm init --pod-network-cidr=10.244.0.0/16"
join=$(ssh admin@$first sudo kubeadm token create --print-join-command)
for host in $others; do
    ssh admin@$host "sudo $join"
done
echo "The cluster is there"
