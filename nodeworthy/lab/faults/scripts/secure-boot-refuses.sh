#!/bin/sh
# Fault: Secure Boot refuses the driver's module, which nobody has signed
# Rule: driver-fits
# Unknown: fabric-manager-runs, profiling-before-driver
set -e
modprobe -r nvidia
echo "[    9.412207] Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7" >>/run/nodeworthy-lab/hardware/kernel-log
