#!/bin/bash
set -euo pipefail

export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y nvme-cli

/etc/eks/bootstrap.sh gpu-dev

# No node before its disk is there: the service for it starts kubelet.
snap stop --disable kubelet-eks
mkfs.ext4 -q /dev/nvme1n1
mount /dev/nvme1n1 /mnt
snap start kubelet-eks
