#!/bin/bash
set -e
if [ -x /etc/eks/bootstrap.sh ]; then
  /etc/eks/bootstrap.sh gpu-dev || {
    echo "failed
fi
