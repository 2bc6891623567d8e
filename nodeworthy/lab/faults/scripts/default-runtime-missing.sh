#!/bin/sh
# Fault: the default runtime is one that is not configured
# Rule: runtime-class-agrees
set -e
sed -i 's/default_runtime_name = .*/default_runtime_name = "nvidia-cdi"/' /etc/containerd/conf.d/99-nvidia.toml
systemctl restart containerd.service
