#!/bin/bash
# GPU node, Ubuntu
export DEBIAN_FRONTEND=noninteractive
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf

apt-get update
apt-get install -y nvidia-driver-570-server
apt-get install -y nfs-common

/etc/eks/bootstrap.sh gpu-dev
touch /var/lib/node-is-ready
