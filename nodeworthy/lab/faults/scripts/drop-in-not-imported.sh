#!/bin/sh
# Fault: the toolkit's drop-in is there, and nothing imports it
# Rule: toolkit-reaches-containerd
set -e
sed -i '/^imports/d' /etc/containerd/config.toml
systemctl restart containerd.service
