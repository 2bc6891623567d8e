#!/bin/sh
# Fault: the driver could not start one of the eight GPUs
# Rule: gpu-count-complete
set -e
rm -r /proc/driver/nvidia/gpus/0000:b9:00.0
