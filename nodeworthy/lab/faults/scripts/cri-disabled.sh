#!/bin/sh
# Fault: containerd's CRI plugin is disabled, as Docker's package has it
# Rule: containerd-config-read
set -e
sed -i '1i disabled_plugins = ["io.containerd.grpc.v1.cri"]' /etc/containerd/config.toml
systemctl restart containerd.service
