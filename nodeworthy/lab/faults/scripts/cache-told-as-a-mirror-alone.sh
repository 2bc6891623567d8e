#!/bin/sh
# Fault: containerd goes to the cache for the registry that it mirrors, and is not told of it by its own name
# Rule: registry-trusted
set -e
. /usr/lib/nodeworthy-lab/paths
cache=registry-ghcr.gpu-controlplane.svc.cluster.local:5000
mkdir -p "$CERTS_D/ghcr.io"
sed 's|^server.*|server = "https://ghcr.io"|' "$CERTS_D/$cache/hosts.toml" >"$CERTS_D/ghcr.io/hosts.toml"
rm -r "${CERTS_D:?}/$cache"
