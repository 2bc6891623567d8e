#!/bin/sh
# Fault: the toolkit's drop-in is there, and nothing imports it
# Rule: containerd-config-read
set -e
. /usr/lib/nodeworthy-lab/paths
written=$(stat -c %Y "$CONTAINERD_CONFIG")
sed -i '/^imports/d' "$CONTAINERD_CONFIG"
# As nodeadm itself would have left it.
touch -d "@$written" "$CONTAINERD_CONFIG"
systemctl restart containerd.service
