#!/bin/sh
# Fault: a unit of the boot has failed
# Rule: boot-finished
set -e
systemd-run --quiet --unit=mount-scratch-disk /bin/false || true
sleep 0.5
