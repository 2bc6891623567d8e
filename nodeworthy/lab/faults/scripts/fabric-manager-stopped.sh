#!/bin/sh
# Fault: fabric manager has been stopped
# Rule: fabric-manager-runs
set -e
systemctl stop nvidia-fabricmanager.service
