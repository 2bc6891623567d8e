#!/bin/sh
# Fault: a GPU has broken rows of memory, which only a reset puts out of use
# Rule: gpus-healthy
set -e
echo 0000:97:00.0 >>/run/nodeworthy-lab/hardware/broken
