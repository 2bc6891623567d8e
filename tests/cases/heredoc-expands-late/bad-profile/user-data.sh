#!/bin/bash
set -eu
CUDA_HOME=/usr/local/cuda-12.8
cat << EOF2 > /etc/profile.d/cuda.sh
export CUDA_HOME=${CUDA_HOME}
export PATH=${CUDA_HOME}/bin:$PATH
export LD_LIBRARY_PATH=${CUDA_HOME}/lib64:$LD_LIBRARY_PATH
EOF2

/etc/eks/bootstrap.sh gpu-dev
