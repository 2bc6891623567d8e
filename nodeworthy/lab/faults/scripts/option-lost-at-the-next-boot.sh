#!/bin/sh
# Fault: the module has the option, and the file was changed to say 1 since
# Rule: profiling-before-driver
set -e
sed -i 's/\(NVreg_RestrictProfilingToAdminUsers\)=0/\1=1/' /etc/modprobe.d/*.conf
