#!/bin/bash
set -e
apt-get update && \ 
apt-get install -y nvidia-driver-570-server
/etc/eks/bootstrap.sh train
