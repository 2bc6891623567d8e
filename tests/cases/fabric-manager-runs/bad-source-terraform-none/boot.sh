#!/bin/bash
set -eu
apt-get update
apt-get install -y nvidia-headless-570-server nvidia-utils-570-server
/etc/eks/bootstrap.sh train
