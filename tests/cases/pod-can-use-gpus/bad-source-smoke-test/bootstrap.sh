#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-driver-570-server nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=docker
systemctl restart docker
docker run --rm --gpus all nvidia/cuda:11.0-base nvidia-smi
