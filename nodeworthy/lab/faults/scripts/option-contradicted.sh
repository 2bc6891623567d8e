#!/bin/sh
# Fault: a second file says 1, and is read last
# Rule: profiling-before-driver
set -e
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=1' >/etc/modprobe.d/zz-nvidia.conf
modprobe -r nvidia
modprobe nvidia
