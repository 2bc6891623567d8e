#!/bin/sh
# Fault: containerd's CRI plugin is disabled, as Docker's package has it
# Rule: containerd-config-read
set -e
. /usr/lib/nodeworthy-lab/paths
written=$(stat -c %Y "$CONTAINERD_CONFIG")
sed -i '1i disabled_plugins = ["io.containerd.grpc.v1.cri"]' "$CONTAINERD_CONFIG"
# As nodeadm itself would have left it.
touch -d "@$written" "$CONTAINERD_CONFIG"
systemctl restart containerd.service
