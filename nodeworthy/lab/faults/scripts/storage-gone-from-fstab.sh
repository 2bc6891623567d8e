#!/bin/sh
# Fault: the shared storage was never mounted, and stands in no fstab
# Rule: shared-storage-mounted
set -e
umount /shared
sed -i '\|/shared|d' /etc/fstab
