#!/bin/sh
# Fault: kubelet talks to another containerd than its pool's: one of its own, on another socket
# Rule: containerd-paths
set -e
. /usr/lib/nodeworthy-lab/paths
mkdir -p /etc/second
{
    echo 'root = "/var/lib/containerd/second"'
    echo 'state = "/run/second"'
    echo 'version = 2'
    sed '/^version/d' "$DROP_IN"
    echo '[grpc]'
    echo 'address = "/run/second/containerd.sock"'
} >/etc/second/config.toml
systemd-run --quiet --unit=second --property=Type=notify /usr/bin/containerd --config /etc/second/config.toml
sed -i "s|unix://\${CONTAINERD_SOCKET}|unix:///run/second/containerd.sock|" /usr/lib/systemd/system/kubelet.service
systemctl daemon-reload
systemctl restart kubelet.service
sleep 0.5
