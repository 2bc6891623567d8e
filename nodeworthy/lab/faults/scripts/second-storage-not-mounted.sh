#!/bin/sh
# Fault: a second filesystem stands in fstab, and is not mounted
# Rule: shared-storage-mounted
set -e
echo 'fs-0fedcba9876543210:/ /models efs _netdev,nofail,tls 0 0' >>/etc/fstab
