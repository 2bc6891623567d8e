#!/bin/sh
# Fault: the toolkit has configured a second containerd, which kubelet does not use
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
rm "$DROP_IN"
systemctl restart containerd.service
