#!/bin/sh
# Fault: hosts.toml lies where containerd does not look
# Rule: registry-trusted
set -e
. /usr/lib/nodeworthy-lab/paths
mv "$CERTS_D" "${CERTS_D}.old"
