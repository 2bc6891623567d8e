#!/bin/sh
# Fault: the default runtime is one that is not configured
# Rule: containerd-config-read
set -e
. /usr/lib/nodeworthy-lab/paths
sed -i 's/default_runtime_name = .*/default_runtime_name = "nvidia-cdi"/' "$DROP_IN"
systemctl restart containerd.service
