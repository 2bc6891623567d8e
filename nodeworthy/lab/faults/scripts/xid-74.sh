#!/bin/sh
# Fault: NVLink reports errors (Xid 74)
# Rule: kernel-log-clean
set -e
cat >>/run/nodeworthy-lab/hardware/kernel-log <<'END'
[   97.118201] NVRM: Xid (PCI:0000:64:00): 74, pid=2133, NVLink: fatal error detected on link 3(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)
END
