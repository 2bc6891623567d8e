#!/bin/sh
# Fault: fabric manager is not installed
# Rule: fabric-manager-runs
set -e
systemctl disable --now --quiet nvidia-fabricmanager.service
rm /usr/lib/systemd/system/nvidia-fabricmanager.service /usr/bin/nv-fabricmanager
systemctl daemon-reload
