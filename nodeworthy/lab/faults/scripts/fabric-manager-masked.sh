#!/bin/sh
# Fault: fabric manager is masked, and stopped
# Rule: fabric-manager-runs
set -e
systemctl mask --quiet --now nvidia-fabricmanager.service
