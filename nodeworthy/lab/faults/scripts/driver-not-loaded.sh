#!/bin/sh
# Fault: NVIDIA's module is not loaded
# Rule: gpu-count-complete
# Unknown: fabric-manager-runs, profiling-before-driver
set -e
modprobe -r nvidia
