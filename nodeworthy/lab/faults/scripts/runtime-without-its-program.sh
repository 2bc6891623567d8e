#!/bin/sh
# Fault: the runtime nvidia names a program that nobody may execute
# Rule: containerd-config-read
set -e
chmod 644 /usr/bin/nvidia-container-runtime
