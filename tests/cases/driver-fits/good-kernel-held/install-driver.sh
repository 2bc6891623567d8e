#!/bin/bash
set -euo pipefail
sudo apt-get install -y build-essential "linux-headers-$(uname -r)"
sudo apt-mark hold linux-image-generic linux-headers-generic
curl -fsSLO https://us.download.nvidia.com/tesla/570.133.20/NVIDIA-Linux-x86_64-570.133.20.run
sudo sh NVIDIA-Linux-x86_64-570.133.20.run --silent --no-questions
