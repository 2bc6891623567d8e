#!/bin/sh
# Fault: containerd is told of no registry
# Rule: registry-trusted
set -e
. /usr/lib/nodeworthy-lab/paths
rm -r "$CERTS_D"/*:5000
