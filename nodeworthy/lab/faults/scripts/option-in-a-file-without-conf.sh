#!/bin/sh
# Fault: the option is in a file whose name does not end in .conf, which modprobe passes over
# Rule: profiling-before-driver
set -e
mv /etc/modprobe.d/nvprof.conf /etc/modprobe.d/nvprof
modprobe -r nvidia
modprobe nvidia
