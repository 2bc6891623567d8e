#!/bin/sh
# Fault: the drop-in lies in a folder that is not imported
# Rule: toolkit-reaches-containerd
set -e
mkdir /etc/containerd/config.d
mv /etc/containerd/conf.d/99-nvidia.toml /etc/containerd/config.d/
systemctl restart containerd.service
