#!/bin/sh
# Fault: config_path is not set: containerd looks for no hosts.toml
# Rule: registry-trusted
set -e
sed -i '/^config_path/d' /etc/containerd/config.toml /etc/containerd/conf.d/99-nvidia.toml
systemctl restart containerd.service
