#!/bin/bash
set -euo pipefail
# What this list names nobody sees here: dkms may be among it.
sudo apt-get install -y $(cat packages.txt)
curl -fsSLO https://us.download.nvidia.com/tesla/570.133.20/NVIDIA-Linux-x86_64-570.133.20.run
sudo sh NVIDIA-Linux-x86_64-570.133.20.run --silent --no-questions
