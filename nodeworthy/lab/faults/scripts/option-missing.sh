#!/bin/sh
# Fault: the profiling option is in no file
# Rule: profiling-before-driver
set -e
rm /etc/modprobe.d/nvprof.conf
modprobe -r nvidia
modprobe nvidia
