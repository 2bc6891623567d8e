#!/bin/bash
# On a node that runs: the GPU's runtime for containerd.
set -euo pipefail
nvidia-ctk runtime configure --runtime=containerd --set-as-default
systemctl restart containerd
systemctl restart kubelet
