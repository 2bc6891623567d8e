#!/bin/sh
# Fault: chrony reaches no source, and the clock is not synchronised
# Rule: clock-right
set -e
sed -i 's/^Leap status.*/Leap status     : Not synchronised/' /run/nodeworthy-lab/hardware/clock
