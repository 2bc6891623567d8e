#!/bin/sh
# Fault: the toolkit's drop-in is there, and nothing imports it
# Rule: toolkit-reaches-containerd
set -e
. /usr/lib/nodeworthy-lab/paths
sed -i '/^imports/d' "$CONTAINERD_CONFIG"
systemctl restart containerd.service
