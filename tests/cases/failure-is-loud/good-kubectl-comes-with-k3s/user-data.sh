#!/bin/bash
set -e
curl -sfL https://get.k3s.io | INSTALL_K3S_SKIP_START=true sh -
kubectl completion bash > /etc/bash_completion.d/kubectl
