#!/bin/bash
# As far as a boot script can see it: containerd's config out of the image's own, two units enabled and started.
set -e
/usr/lib/nodeworthy-lab/record bootstrap.sh "$@"
. /usr/lib/nodeworthy-lab/paths
mkdir -p "${CONTAINERD_CONFIG%/*}"
cp "$IMAGE_CONTAINERD_CONFIG" "$CONTAINERD_CONFIG"
/usr/lib/nodeworthy-lab/systemctl.real enable --now --quiet containerd snap.kubelet-eks.daemon
