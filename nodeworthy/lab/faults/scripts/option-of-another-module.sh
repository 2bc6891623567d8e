#!/bin/sh
# Fault: the option is given to nvidia-uvm, which does not have it
# Rule: profiling-before-driver
set -e
sed -i 's/nvidia /nvidia-uvm /' /etc/modprobe.d/nvprof.conf
modprobe -r nvidia
modprobe nvidia
