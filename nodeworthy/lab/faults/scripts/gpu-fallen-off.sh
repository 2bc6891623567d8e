#!/bin/sh
# Fault: a GPU has fallen off the bus while the node runs: the bus and /proc show it still, nvidia-smi says that it is lost
# Rule: gpus-healthy
set -e
shown=/run/nodeworthy-lab/hardware
echo 0000:75:00.0 >>$shown/lost
echo "[  912.402113] NVRM: Xid (PCI:0000:75:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus." >>$shown/kernel-log
