#!/bin/bash
set -euo pipefail
driver=NVIDIA-Linux-x86_64-570.133.20.run
cuda=cuda_12.8.1_570.124.06_linux.run
wget "https://us.download.nvidia.com/tesla/570.133.20/$driver"
sh "$driver" --silent --dkms
wget "https://developer.download.nvidia.com/compute/cuda/12.8.1/local_installers/$cuda"
sh "$cuda" --silent
kubeadm join --config /root/join.yaml
