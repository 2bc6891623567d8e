#!/bin/sh
# Fault: hosts.toml sends containerd to https:// of a registry that speaks plain HTTP
# Rule: registry-trusted
set -e
. /usr/lib/nodeworthy-lab/paths
sed -i 's|http://|https://|' "$CERTS_D"/*:5000/hosts.toml
