#!/bin/sh
# Fault: hosts.toml names the registry without http://, and containerd speaks TLS to it
# Rule: registry-trusted
set -e
sed -i 's|http://||' /etc/containerd/certs.d/*:5000/hosts.toml
