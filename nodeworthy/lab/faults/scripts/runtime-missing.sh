#!/bin/sh
# Fault: containerd has no runtime nvidia: the toolkit has never written it
# Rule: toolkit-reaches-containerd
set -e
rm /etc/containerd/conf.d/99-nvidia.toml
systemctl restart containerd.service
