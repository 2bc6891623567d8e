#!/bin/sh
# Fault: the toolkit has configured a second containerd, which kubelet does not use
# Rule: containerd-paths
set -e
mkdir -p /etc/second
{
    echo 'root = "/var/lib/containerd/second"'
    echo 'state = "/run/second"'
    echo 'version = 2'
    sed '/^version/d' /etc/containerd/conf.d/99-nvidia.toml
    echo '[grpc]'
    echo 'address = "/run/second/containerd.sock"'
} >/etc/second/config.toml
systemd-run --quiet --unit=second --property=Type=notify /usr/bin/containerd --config /etc/second/config.toml
rm /etc/containerd/conf.d/99-nvidia.toml
systemctl restart containerd.service
