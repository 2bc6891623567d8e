#!/bin/bash
set -ex
/etc/eks/bootstrap.sh research
amazon-linux-extras install -y epel
curl -s https://nvidia.github.io/libnvidia-container/stable/deb/nvidia-container-toolkit.list > /etc/apt/sources.list.d/nvidia-container-toolkit.list
apt-get update
apt-get install -y nvidia-container-toolkit
