#!/bin/bash
set -euo pipefail

for host in "$@"; do
    ssh "root@$host" <<'THERE'
apt-get update
apt-get install -y nvidia-driver-570-server
echo "$(hostname): done" >> /var/log/drivers
THERE
done
