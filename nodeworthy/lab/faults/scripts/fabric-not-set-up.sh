#!/bin/sh
# Fault: fabric manager runs, and could not set up the fabric
# Rule: fabric-manager-runs
set -e
echo "Completed Failure" >/run/nodeworthy-lab/hardware/fabric
