#!/bin/bash
set -euo pipefail
sudo apt-get update
sudo apt-get install -y build-essential "linux-headers-$(uname -r)"
VERSION="${1:-570.133.20}"
curl -fsSLO "https://us.download.nvidia.com/tesla/${VERSION}/NVIDIA-Linux-x86_64-${VERSION}.run"
sudo sh "NVIDIA-Linux-x86_64-${VERSION}.run" --silent --no-questions
nvidia-smi
