#!/bin/sh
# Fault: the boot script edits containerd's config, which nodeadm writes anew at every boot
# Rule: containerd-edit-survives
# When: boot
set -e
. /usr/lib/nodeworthy-lab/paths
# The times that are compared are no finer than seconds, and this node boots faster than others.
sleep 5
echo 'oom_score = -999' | cat - "$CONTAINERD_CONFIG" >/run/edited
cat /run/edited >"$CONTAINERD_CONFIG"
