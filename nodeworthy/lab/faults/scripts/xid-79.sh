#!/bin/sh
# Fault: a GPU has fallen off the bus, says the driver (Xid 79)
# Rule: kernel-log-clean
set -e
cat >>/run/nodeworthy-lab/hardware/kernel-log <<'END'
[  812.340021] NVRM: Xid (PCI:0000:a8:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
END
