#!/bin/sh
# Fault: kubelet was started by hand, and its unit is gone
# Rule: kubelet-survives-reboot
set -e
. /usr/lib/nodeworthy-lab/paths
systemctl stop kubelet.service
rm /usr/lib/systemd/system/kubelet.service
systemctl daemon-reload
setsid /usr/bin/kubelet --config=/etc/kubernetes/kubelet/config.json \
    --container-runtime-endpoint="unix://$CONTAINERD_SOCKET" >/dev/null 2>&1 &
sleep 0.5
