#!/usr/bin/env bash
set -euo pipefail
for each in worker-1 worker-2; do
  limactl shell "$each" sudo sh -c '
    apt-get update
    apt-get install -y nvidia-driver-570-server
    echo done
  ' &
done
wait
echo "the machines are ready"
