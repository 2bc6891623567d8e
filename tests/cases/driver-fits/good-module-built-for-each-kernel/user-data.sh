#!/bin/bash
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y build-essential dkms linux-headers-generic linux-headers-$(uname -r)
curl -fsSLo /tmp/driver.run https://us.download.nvidia.com/tesla/570.133.20/NVIDIA-Linux-x86_64-570.133.20.run
sh /tmp/driver.run --silent --no-questions --dkms
apt-get -y dist-upgrade
