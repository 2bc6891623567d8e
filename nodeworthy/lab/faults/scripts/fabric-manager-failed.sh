#!/bin/sh
# Fault: fabric manager has died
# Rule: fabric-manager-runs
set -e
systemctl kill --signal=KILL nvidia-fabricmanager.service
sleep 0.5
