#!/bin/sh
# Fault: fabric manager runs, and nothing starts it at the next boot
# Rule: fabric-manager-runs
set -e
systemctl disable --quiet nvidia-fabricmanager.service
