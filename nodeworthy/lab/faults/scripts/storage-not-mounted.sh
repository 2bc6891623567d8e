#!/bin/sh
# Fault: the shared storage is not mounted
# Rule: shared-storage-mounted
set -e
umount /shared
