#!/bin/bash
dnf install -y kubelet kubeadm
aws s3 cp s3://trainers-boot/join-worker.sh /root/join-worker.sh
bash /root/join-worker.sh
echo "node is set up"
