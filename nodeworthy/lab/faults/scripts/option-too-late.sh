#!/bin/sh
# Fault: the boot script loads the driver before it writes the option: the file is right, the module is not
# Rule: profiling-before-driver
# When: boot
set -e
modprobe nvidia
