#!/bin/bash
set -euo pipefail
kubeadm join --token=${token} ${address}:6443
