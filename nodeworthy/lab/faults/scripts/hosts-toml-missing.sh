#!/bin/sh
# Fault: containerd is told of no registry
# Rule: registry-trusted
set -e
rm -r /etc/containerd/certs.d/*:5000
