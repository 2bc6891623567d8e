#!/bin/sh
# Harmless: a comment in the drop-in since containerd was started: what it has loaded is older than its files
# Unknown: containerd-config-read, runtime-class-agrees, registry-trusted, toolkit-reaches-containerd
set -e
. /usr/lib/nodeworthy-lab/paths
sleep 4
echo '# edited' >>"$DROP_IN"
