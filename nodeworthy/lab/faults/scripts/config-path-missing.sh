#!/bin/sh
# Fault: config_path is not set: containerd looks for no hosts.toml
# Rule: registry-trusted
set -e
. /usr/lib/nodeworthy-lab/paths
sed -i '/^config_path/d' "$CONTAINERD_CONFIG" "$DROP_IN"
systemctl restart containerd.service
