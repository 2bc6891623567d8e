#!/bin/sh
set -e
cat << 'CONF' | tee /etc/modprobe.d/nvidia-graphics.conf
blacklist nouveau
options nvidia NVreg_EnableGpuFirmware=0
option nvidia NVreg_RestrictProfilingToAdminUsers=0
CONF
apt-get update
apt-get -y install cuda-drivers-570
CONTAINER=nvcr.io/nvidia/cuda:12.8.0-base-ubuntu24.04
docker run --rm --gpus all "$CONTAINER" nvidia-smi
