#!/bin/sh
# Fault: the same at boot: kubelet finds no CRI, ends, and is started again and again
# Rule: containerd-config-read
set -e
. /usr/lib/nodeworthy-lab/paths
cat >>"$DROP_IN" <<END

[plugins."io.containerd.grpc.v1.cri".registry.mirrors."ghcr.io"]
endpoint = ["http://registry-ghcr.gpu-controlplane.svc.cluster.local:5000"]
END
systemctl restart containerd.service
systemctl restart kubelet.service
sleep 1
