#!/bin/sh
# Fault: the line of the option begins with #
# Rule: profiling-before-driver
set -e
sed -i 's/^/# /' /etc/modprobe.d/nvprof.conf
modprobe -r nvidia
modprobe nvidia
