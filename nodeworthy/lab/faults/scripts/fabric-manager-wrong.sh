#!/bin/sh
# Fault: fabric manager is of another version than the driver, and does not start
# Rule: fabric-manager-runs
set -e
mkdir -p /etc/nodeworthy-lab
echo 570.86.15 >/etc/nodeworthy-lab/fabric-manager
systemctl restart nvidia-fabricmanager.service
sleep 0.5
