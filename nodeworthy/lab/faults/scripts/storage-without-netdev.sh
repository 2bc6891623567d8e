#!/bin/sh
# Fault: the fstab entry lacks _netdev: it is mounted before there is a network
# Rule: shared-storage-mounted
set -e
sed -i 's/_netdev,//' /etc/fstab
