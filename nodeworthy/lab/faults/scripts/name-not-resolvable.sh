#!/bin/sh
# Fault: the name of the registry has no address on the node
# Rule: registry-resolvable
set -e
sed -i '/registry-ghcr/d' /etc/hosts
