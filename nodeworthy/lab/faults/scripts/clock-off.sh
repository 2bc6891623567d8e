#!/bin/sh
# Fault: the clock is 12 seconds off
# Rule: clock-right
set -e
sed -i 's/^System time.*/System time     : 12.400112 seconds fast of NTP time/' /run/nodeworthy-lab/hardware/clock
