#!/bin/sh
# Fault: NVIDIA's module is not loaded
# Rule: gpu-count-complete
set -e
modprobe -r nvidia
