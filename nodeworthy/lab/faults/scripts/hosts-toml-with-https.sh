#!/bin/sh
# Fault: hosts.toml sends containerd to https:// of a registry that speaks plain HTTP
# Rule: registry-trusted
set -e
sed -i 's|http://|https://|' /etc/containerd/certs.d/*:5000/hosts.toml
