#!/bin/sh
# Fault: the fstab entry lacks nofail and _netdev: a boot without the storage never ends
# Rule: shared-storage-mounted
set -e
sed -i 's/_netdev,nofail,tls/tls/' /etc/fstab
