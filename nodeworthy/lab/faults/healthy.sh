#!/bin/bash
# The boot script of the node that faults are injected into. Nothing is wrong with it.
set -euo pipefail
. /usr/lib/nodeworthy-lab/paths

echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" >/etc/modprobe.d/nvprof.conf
modprobe nvidia
systemctl enable --now nvidia-fabricmanager

cache=registry-ghcr.gpu-controlplane.svc.cluster.local
mkdir -p "$CERTS_D/$cache:5000"
cat >"$CERTS_D/$cache:5000/hosts.toml" <<END
server = "http://$cache:5000"

[host."http://$cache:5000"]
capabilities = ["pull", "resolve"]
END
echo "10.100.7.20 $cache" >>/etc/hosts

echo "fs-0123456789abcdef0:/ /shared efs _netdev,nofail,tls 0 0" >>/etc/fstab
mkdir -p /shared
mount /shared
