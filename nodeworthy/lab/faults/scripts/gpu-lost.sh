#!/bin/sh
# Fault: one of eight GPUs is not on the bus, and the driver never had it
# Rule: gpu-count-complete
set -e
rm -r /sys/bus/pci/devices/0000:ca:00.0 /proc/driver/nvidia/gpus/0000:ca:00.0
