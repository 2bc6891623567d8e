#!/bin/bash
set -e
apt-get update
apt-get install -y cuda-drivers cuda-toolkit-12-9
echo "export PATH=/usr/local/cuda/bin:$PATH" > /etc/profile.d/cuda.sh
