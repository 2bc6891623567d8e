#!/bin/sh
# Fault: the EFA interfaces are on the bus, and no module offers them
# Rule: efa-complete
set -e
rm -r /sys/class/infiniband/*
