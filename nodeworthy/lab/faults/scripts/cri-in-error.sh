#!/bin/sh
# Fault: containerd's CRI plugin does not load: a drop-in sets mirrors beside config_path, and kubelet still runs
# Rule: containerd-config-read
set -e
. /usr/lib/nodeworthy-lab/paths
cat >>"$DROP_IN" <<END

[plugins."io.containerd.grpc.v1.cri".registry.mirrors."ghcr.io"]
endpoint = ["http://registry-ghcr.gpu-controlplane.svc.cluster.local:5000"]
END
systemctl restart containerd.service
