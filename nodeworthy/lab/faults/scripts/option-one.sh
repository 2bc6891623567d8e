#!/bin/sh
# Fault: the option stands there with the value 1
# Rule: profiling-before-driver
set -e
sed -i 's/=0/=1/' /etc/modprobe.d/nvprof.conf
modprobe -r nvidia
modprobe nvidia
