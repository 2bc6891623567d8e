#!/bin/sh
# Fault: containerd's drop-in has a table twice: it does not start, and kubelet with it
# Rule: containerd-config-read
set -e
. /usr/lib/nodeworthy-lab/paths
printf '\n[grpc]\nuid = 0\n[grpc]\ngid = 0\n' >>"$DROP_IN"
systemctl restart containerd.service || true
systemctl restart kubelet.service || true
sleep 1
