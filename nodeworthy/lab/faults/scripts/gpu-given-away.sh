#!/bin/sh
# Fault: another driver has one of the GPUs
# Rule: driver-fits
set -e
rm -r /proc/driver/nvidia/gpus/0000:53:00.0
ln -sfn /sys/bus/pci/drivers/vfio-pci /sys/bus/pci/devices/0000:53:00.0/driver
