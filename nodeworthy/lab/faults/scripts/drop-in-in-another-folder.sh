#!/bin/sh
# Fault: the drop-in lies in a folder that is not imported
# Rule: containerd-config-read
set -e
. /usr/lib/nodeworthy-lab/paths
mkdir "${CONTAINERD_CONFIG%/*}/drop-ins.d"
mv "$DROP_IN" "${CONTAINERD_CONFIG%/*}/drop-ins.d"
systemctl restart containerd.service
