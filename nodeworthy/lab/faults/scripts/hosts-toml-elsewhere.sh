#!/bin/sh
# Fault: hosts.toml lies where containerd does not look
# Rule: registry-trusted
set -e
mv /etc/containerd/certs.d /etc/containerd/certs
