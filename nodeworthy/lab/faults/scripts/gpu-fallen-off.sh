#!/bin/sh
# Fault: a GPU that the driver has is on the bus no more
# Rule: gpu-count-complete
set -e
rm -r /sys/bus/pci/devices/0000:75:00.0
