#!/bin/sh
# Fault: the folder of hosts.toml is of another port, so that it is for another registry
# Rule: registry-trusted
set -e
. /usr/lib/nodeworthy-lab/paths
for each in "$CERTS_D"/*:5000; do
    mv "$each" "${each%:5000}:5001"
done
