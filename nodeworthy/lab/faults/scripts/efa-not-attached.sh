#!/bin/sh
# Fault: one of 32 EFA interfaces is not attached
# Rule: efa-complete
set -e
rm -r /sys/bus/pci/devices/0000:c6:03.0 /sys/class/infiniband/rdmap198s3
